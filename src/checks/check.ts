import type { Delivery } from '../delivery.ts'
import type { EventAuth } from '../event.ts'
import type { Listener } from '../listener.ts'

/** One run of the checks. A check reads what it needs and leaves here what it found, for the ones after it. */
export class Attempt {
  readonly delivery: Delivery
  readonly listener: Listener<unknown>
  /** The time, read once, in whole seconds since 1970. */
  readonly now: number

  /** `Webhook-Timestamp` and `Webhook-Event-Id` as received: the texts that the sender signed. */
  timestampText = ''
  eventIdText = ''
  payload: unknown = undefined
  /** Seconds since 1970. */
  sentAt = 0
  /** Lower case. Empty until it has proved to be a UUID v4. */
  eventId = ''
  auth: EventAuth | undefined = undefined
  /** What the operator should know besides the verdict. */
  problem: Error | undefined = undefined
  /** Milliseconds that the checks took, when something else runs between them and the claim. */
  spentMs = 0

  constructor(delivery: Delivery, listener: Listener<unknown>) {
    this.delivery = delivery
    this.listener = listener
    this.now = Math.floor(listener.clock.now() / 1000)
  }
}

/** A check's "no". Its "yes" is undefined. */
export interface Failure<Reason extends string> {
  readonly reason: Reason
  /** For the operator, in bounded words: no secret, token, signature or body. */
  readonly detail: string
}

export function fail<const Reason extends string>(reason: Reason, detail: string): Failure<Reason> {
  return { reason, detail }
}
