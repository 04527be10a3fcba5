import type { Delivery } from '../delivery.ts'
import type { EventAuth } from '../event.ts'
import type { Json } from '../lib/json.ts'
import type { Listener } from '../listener.ts'
import type { ReadBody, Reading } from '../scheme/content.ts'
import type { Sender } from '../scheme/sender.ts'
import type { Signed } from '../scheme/signed-text.ts'

/** One run of the checks. A check reads what it needs and leaves here what it found, for the ones after it. */
export class Attempt {
  readonly delivery: Delivery
  readonly listener: Listener<unknown>
  /** The time, read once, in whole seconds since 1970. */
  readonly now: number

  /** The scheme of another sender than the specification's. */
  readonly sender: Sender | undefined

  /** The timestamp's and the event ID's texts as received: the sender signed them so. */
  timestampText = ''
  eventIdText = ''
  payload: unknown = undefined
  /** Seconds since 1970. */
  sentAt = 0
  /** What `event.id` will say. Empty until it has passed its check. */
  eventId = ''
  /** What other senders' events are claimed by. */
  claimKeys: readonly string[] = NO_KEYS
  /** What the signature of another sender stood for. */
  signed: Signed | undefined = undefined
  /** How to read another sender's body, by its content type. */
  readBody: ReadBody | undefined = undefined
  #reading: Reading | undefined = undefined
  auth: EventAuth | undefined = undefined
  /** What the operator should know besides the verdict. */
  problem: Error | undefined = undefined
  /** Milliseconds that the checks took, when something else runs between them and the claim. */
  spentMs = 0

  constructor(delivery: Delivery, listener: Listener<unknown>) {
    this.delivery = delivery
    this.listener = listener
    this.sender = listener.auth.sender
    this.now = Math.floor(listener.clock.now() / 1000)
  }

  /** The body by its content type, parsed once. */
  read(): Reading {
    const readBody = this.readBody ?? this.sender?.readerFor(undefined)
    this.#reading ??= readBody?.(this.delivery.body) ?? fail('body_malformed', 'nobody can read this body')
    return this.#reading
  }

  /** Undefined for a body that does not parse. */
  parsed(): Json | undefined {
    const reading = this.read()
    return 'reason' in reading ? undefined : reading.payload
  }
}

/** An attempt of another sender than the specification's. */
export type SenderAttempt = Attempt & { readonly sender: Sender }

const NO_KEYS: readonly string[] = []

/** A check's "no". Its "yes" is undefined. */
export interface Failure<Reason extends string> {
  readonly reason: Reason
  /** For the operator, in bounded words: no secret, token, signature or body. */
  readonly detail: string
}

export function fail<const Reason extends string>(reason: Reason, detail: string): Failure<Reason> {
  return { reason, detail }
}
