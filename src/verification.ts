import type { Evidence } from './auth/evidence.ts'
import type { Signed } from './crypto/algorithms.ts'
import type { Delivery } from './delivery.ts'
import type { EventAuth } from './event.ts'
import { timeOf } from './lib/clock.ts'
import type { Json } from './lib/json.ts'
import type { Listener } from './listener.ts'
import type { Protocol } from './protocol.ts'
import { fail } from './reason.ts'
import type { EarlyLimits, ReadBody, Reading } from './scheme/body.ts'
import type { FormField } from './scheme/form-fields.ts'

/** One delivery on its way through the checks. Each check stores its results here for the checks after it. */
export class Verification implements Evidence {
  readonly delivery: Delivery
  readonly listener: Listener<unknown>
  /** The current time, read once, in whole seconds since 1970. */
  readonly now: number
  /** What deliveries look like, in hookgate's scheme or another sender's. */
  readonly protocol: Protocol
  readonly body: Body

  /** Timestamp and event ID exactly as received, because the sender signed these texts. */
  timestampText = ''
  eventIdText = ''
  payload: unknown = undefined
  /** Seconds since 1970. */
  sentAt = 0
  /** The future `event.id`. Empty until it has passed its check. */
  eventId = ''
  /** The keys that the event is claimed by. */
  claimKeys: readonly string[] = NO_KEYS
  /** The future `event.type`. Empty if there is none. Undefined until the event is identified, unless a scheme has set it. */
  eventTypeText: string | undefined = undefined
  /** What another sender's signature covered. */
  signed: Signed | undefined = undefined
  auth: EventAuth | undefined = undefined
  /** Reported to the operator in addition to the verdict. */
  problem: Error | undefined = undefined
  /** Whether the verdict counts. False beside an old check: nothing is claimed, answered or told to the sender. */
  isEnforced = true
  /** How a check or a claim awaits a promise. Adapters hold the body's place meanwhile. */
  wait: Wait = awaitOnly
  /** When its checks, or its claim, began, in monotonic milliseconds. 0 if nobody asks. */
  startedAt = 0
  #spentMs = 0

  constructor(delivery: Delivery, listener: Listener<unknown>) {
    this.delivery = delivery
    this.listener = listener
    this.protocol = listener.protocol
    this.body = new Body(delivery.body, listener.protocol)
    this.now = Math.floor(timeOf(listener.clock) / 1000)
    if (listener.onVerdict || listener.onError) this.startedAt = performance.now()
  }

  /** How long the checks and the claim have taken, in milliseconds. */
  get durationMs(): number {
    return this.#spentMs + (this.startedAt === 0 ? 0 : performance.now() - this.startedAt)
  }

  /** What runs between the checks and the claim does not count, until `startedAt` is set again. */
  pause(): void {
    this.#spentMs = this.durationMs
    this.startedAt = 0
  }

  parsed(): Json | undefined {
    return this.body.glance()
  }

  parsedWhole(): Json | undefined {
    return this.body.glance('all members')
  }

  fields(): readonly FormField[] | undefined {
    return this.body.fields()
  }

  keepParsed(): Json | undefined {
    return this.body.keep()
  }

  refuse(detail: string): undefined {
    this.body.problem = detail
  }
}

/** How a promise is awaited. */
export type Wait = <Value>(promise: PromiseLike<Value>) => PromiseLike<Value>

const awaitOnly: Wait = (promise) => promise

const NO_KEYS: readonly string[] = []

/** What the bytes of a delivery say: at a glance before their sender is known, and read as a whole after. */
class Body {
  readonly #bytes: Uint8Array
  readonly #protocol: Protocol
  /** What parses it. The content type selects it. */
  parse: ReadBody | undefined = undefined
  /** Why a glance, or a signed value, found nothing. Empty if nothing went wrong. */
  problem = ''
  /** What the last glance parsed, for the next one. Dropped as soon as anything is awaited. */
  #seen: Reading | undefined = undefined
  #isHeld = false
  #kept: Reading | undefined = undefined

  constructor(bytes: Uint8Array, protocol: Protocol) {
    this.#bytes = bytes
    this.#protocol = protocol
  }

  /** Parses what the protocol reads first, or all members, within the limits for strangers. Undefined if it does not parse. */
  glance(extent?: 'all members'): Json | undefined {
    const { early } = this.#protocol
    if (extent) return this.#payloadOf(this.#read(early && { maxFields: early.maxFields }))
    const reading = this.#seen ?? this.#read(early)
    if (this.#isHeld) this.#seen = reading
    return this.#payloadOf(reading)
  }

  /** Decodes the fields of a form, within the same limits. */
  fields(): readonly FormField[] | undefined {
    const fields = this.#protocol.fieldsOf?.(this.#bytes)
    if (typeof fields !== 'string') return fields
    this.problem = fields
    return undefined
  }

  /** From now until `release`, glances share what they parse. Nothing may be awaited in between. */
  hold(): void {
    this.#isHeld = true
    this.problem = ''
  }

  release(): void {
    this.#isHeld = false
    this.#seen = undefined
  }

  /** Parses all of it, without these limits. */
  read(): Reading {
    return this.#kept ?? this.#read()
  }

  /** Parses all of it for an authenticator that knows the sender, and keeps it for `read`. Undefined if it does not parse. */
  keep(): Json | undefined {
    this.#kept = this.read()
    return 'reason' in this.#kept ? undefined : this.#kept.payload
  }

  #payloadOf(reading: Reading): Json | undefined {
    if (!('reason' in reading)) return reading.payload
    this.problem = reading.detail
    return undefined
  }

  #read(limits?: EarlyLimits): Reading {
    const parse = this.parse ?? this.#protocol.readerFor(undefined)
    return parse?.(this.#bytes, limits) ?? fail('body_malformed', 'the body cannot be parsed')
  }
}
