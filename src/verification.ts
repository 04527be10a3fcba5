import type { Authentication } from './auth/authenticator.ts'
import type { Evidence } from './auth/evidence.ts'
import type { EarlyLimits, ReadBody, Reading } from './body.ts'
import type { Signed } from './crypto/algorithms.ts'
import type { Delivery } from './delivery.ts'
import type { EventAuth } from './event.ts'
import { timeOf } from './lib/clock.ts'
import type { Json } from './lib/json.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import type { Listener } from './listener.ts'
import { type Protocol, SPECIFICATION } from './protocol.ts'
import { type Failure, fail } from './reason.ts'
import type { FormField } from './schemes/kit/form-fields.ts'

/** One delivery on its way through the checks. Each check stores its results here for the checks after it. */
export class Verification implements Evidence {
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
  /** The keys that the event is claimed by. */
  claimKeys: readonly string[] = NO_KEYS
  /** The future `event.type`. Empty if there is none. Undefined until the event is identified, unless a scheme has set it. */
  eventTypeText: string | undefined = undefined
  /** What another sender's signature covered. */
  signed: Signed | undefined = undefined
  /** Parses the body. The content type selects it. */
  parseBody: ReadBody | undefined = undefined
  /** The whole body, once `keepParsed` has parsed it. */
  #kept: Reading | undefined = undefined
  /** What `parsed` has read. Dropped as soon as anything is awaited. */
  #early: Reading | undefined = undefined
  #isAuthenticating = false
  /** Why a signed value is missing, or the body was not parsed before authentication. Empty if it was. */
  #problem = ''
  auth: EventAuth | undefined = undefined
  /** Reported to the operator in addition to the verdict. */
  problem: Error | undefined = undefined
  /** How long the checks took, in milliseconds, if something else runs between them and the claim. */
  spentMs = 0
  /** Whether the verdict counts. False beside an old check: nothing is claimed, answered or told to the sender. */
  isEnforced = true

  constructor(delivery: Delivery, listener: Listener<unknown>) {
    this.delivery = delivery
    this.listener = listener
    this.protocol = listener.auth.protocol ?? SPECIFICATION
    this.now = Math.floor(timeOf(listener.clock) / 1000)
  }

  /** The whole body, without the limits of `parsed`. */
  read(): Reading {
    return this.#kept ?? this.#parse()
  }

  keepParsed(): Json | undefined {
    this.#kept = this.read()
    return 'reason' in this.#kept ? undefined : this.#kept.payload
  }

  parsed(): Json | undefined {
    const reading = this.#early ?? this.#parse(this.protocol.early)
    if (this.#isAuthenticating) this.#early = reading
    return this.#payloadOf(reading)
  }

  parsedWhole(): Json | undefined {
    const { early } = this.protocol
    return this.#payloadOf(this.#parse(early && { maxFields: early.maxFields }))
  }

  fields(): readonly FormField[] | undefined {
    const fields = this.protocol.fieldsOf?.(this.delivery.body)
    if (typeof fields !== 'string') return fields
    this.#problem = fields
    return undefined
  }

  refuse(detail: string): undefined {
    this.#problem = detail
  }

  #payloadOf(reading: Reading): Json | undefined {
    if (!('reason' in reading)) return reading.payload
    this.#problem = reading.detail
    return undefined
  }

  /** Runs the listener's authentication method. Drops what it has parsed before it awaits anything. */
  authenticate(): MaybePromise<Authentication> {
    this.#isAuthenticating = true
    this.#problem = ''
    try {
      return this.listener.auth.authenticate(this)
    } finally {
      this.#isAuthenticating = false
      this.#early = undefined
    }
  }

  /** Gives the cause of a refusal, if it is known: e.g. the body was not parsed, so the signed values in it are missing too. */
  explained<Reason extends string>(refusal: Failure<Reason>): Failure<Reason> {
    return this.#problem === '' ? refusal : { reason: refusal.reason, detail: this.#problem }
  }

  #parse(limits?: EarlyLimits): Reading {
    const parseBody = this.parseBody ?? this.protocol.readerFor(undefined)
    return parseBody?.(this.delivery.body, limits) ?? fail('body_malformed', 'the body cannot be parsed')
  }
}

const NO_KEYS: readonly string[] = []
