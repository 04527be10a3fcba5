import type { Evidence } from './auth/evidence.ts'
import { Body } from './body.ts'
import type { Signed } from './crypto/algorithms.ts'
import type { Delivery } from './delivery.ts'
import type { EventAuth } from './event.ts'
import { timeOf } from './lib/clock.ts'
import type { Listener } from './listener.ts'
import type { Protocol } from './protocol.ts'

/**
 * One delivery on its way through the checks. Each check stores its results here for the checks after it. An authentication method
 * sees it as `Evidence`.
 */
export class Verification extends Body implements Evidence, Waiter {
  readonly delivery: Delivery
  readonly listener: Listener<unknown>
  /** The current time, read once, in whole seconds since 1970. */
  readonly now: number
  /** What deliveries look like, in hookgate's scheme or another sender's. */
  readonly protocol: Protocol

  /** Timestamp and event ID exactly as received, because the sender signed these texts. */
  timestampText = ''
  eventIdText = ''
  payload: unknown = undefined
  /** Seconds since 1970. */
  sentAt = 0
  /** The future `event.id`. Empty until it has passed its check. */
  eventId = ''
  /** How long the event is remembered once it is committed, if not as long as the listener says. */
  retentionMs: number | undefined = undefined
  /** The keys that the event is claimed by. */
  claimKeys: readonly string[] = NO_KEYS
  /** The future `event.type`. Empty if there is none. Undefined until the event is identified, unless a scheme has set it. */
  eventTypeText: string | undefined = undefined
  /** What another sender's signature covered. */
  signed: Signed | undefined = undefined
  auth: EventAuth | undefined = undefined
  /** For `onError`, in addition to the verdict. */
  problem: Error | undefined = undefined
  /** Whether the verdict counts. False beside an old check: nothing is claimed, answered or told to the sender. */
  isEnforced = true
  /** What holds the body while a promise is awaited: in an adapter, its seat. */
  seat: Waiter | undefined = undefined
  /** When its checks, or its claim, began, in monotonic milliseconds. 0 if nobody asks. */
  startedAt = 0

  constructor(delivery: Delivery, listener: Listener<unknown>, protocol: Protocol = listener.protocol) {
    const own = protocol.forDelivery?.(delivery) ?? protocol
    super(delivery.body, own)
    this.delivery = delivery
    this.listener = listener
    this.protocol = own
    this.now = Math.floor(timeOf(listener.clock) / 1000)
    if (listener.onVerdict || listener.onError) this.startedAt = performance.now()
  }

  /** How long the checks and the claim have taken, in milliseconds. */
  get durationMs(): number {
    return this.startedAt === 0 ? 0 : performance.now() - this.startedAt
  }

  wait<Value>(promise: PromiseLike<Value>): PromiseLike<Value> {
    return this.seat ? this.seat.wait(promise) : promise
  }
}

/**
 * How a promise is awaited. An object with a method, because of V8: when each delivery wrote a function of its own into a member,
 * 30 % of what requests allocate outlived a minor garbage collection instead of 1 %, which cost a Fastify server half its CPU again.
 */
export interface Waiter {
  wait<Value>(promise: PromiseLike<Value>): PromiseLike<Value>
}

const NO_KEYS: readonly string[] = []
