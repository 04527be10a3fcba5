import type { FormField } from '../body.ts'
import type { Signed } from '../crypto/algorithms.ts'
import type { Delivery } from '../delivery.ts'
import type { EventAuth } from '../event.ts'
import type { Json } from '../lib/json.ts'
import type { UnreadBytes } from '../lib/unread.ts'

/** A delivery whose sender is not known yet. */
export type UnreadDelivery = Omit<Delivery, 'body'>

/**
 * What an authentication method may read of a delivery. The headers are complete, and the source is allowed.
 * In hookgate's own scheme, the body, timestamp and event ID have passed their checks too.
 */
export interface Evidence {
  /** The request, without its body. */
  readonly delivery: UnreadDelivery
  /** The exact bytes of the body, to hash or to sign. `parsed()` and the like read them, within limits. */
  readonly bytes: UnreadBytes
  /** The current time, read once, in whole seconds since 1970. */
  readonly now: number
  /** The timestamp exactly as received, because the sender signed this text. A scheme that finds it elsewhere sets it. */
  timestampText: string
  /** The event ID exactly as received, because the sender signed this text. A scheme that finds it elsewhere sets it. */
  eventIdText: string
  /** The event's type, if a scheme finds it where its row does not say. Empty if there is none. */
  eventTypeText?: string | undefined
  /** The future `event.id`. Empty if the ID is read after authentication. */
  readonly eventId: string
  /** The parsed body. Undefined if it is parsed after authentication. */
  payload: unknown
  /** What the signature covered. Schemes set this. Without it, the body identifies the event. */
  signed: Signed | undefined
  /** What authentication found, once it has passed. */
  readonly auth?: EventAuth | undefined
  /**
   * Parses the body by its content type, before it is authenticated. Undefined if it does not parse, is over 384 KB or 64 levels
   * deep, or has more fields than the scheme's `maxFields`. A refusal then says so instead of your `detail`.
   *
   * Holds only the members that the scheme reads first, if its row names them. The rest of the body may still be malformed: it is
   * parsed after authentication. Parses again after anything has been awaited, so take the values that you need before.
   */
  parsed(): Json | undefined
  /** Like `parsed`, with all members. Call it only when you know the sender. */
  parsedWhole(): Json | undefined
  /** Decodes the fields of a form, within the same limits. Undefined if the body is no form. */
  fields(): readonly FormField[] | undefined
  /**
   * A string member of a JSON object: the bytes between its quotes, with its escapes. Within the same limits. Undefined if the
   * member is missing or no string.
   */
  member(name: string): UnreadBytes | undefined
  /** The body as a text. Undefined if it is not UTF-8, or over `mostBytes`, which is at most 393,216. */
  text(mostBytes: number): string | undefined
  /** Parses the body without these limits, once, and keeps it. Call it only when you know the sender. Undefined if it does not parse. */
  keepParsed(): Json | undefined
  /** Says why a signed value is missing. A refusal then has this detail instead of its own. */
  refuse?(detail: string): undefined
}

/** What may be read of a delivery once its sender is known. */
export interface AuthenticEvidence extends Evidence {
  readonly delivery: Delivery
}
