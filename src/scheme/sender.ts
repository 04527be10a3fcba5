import type { Evidence } from '../auth/evidence.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Reply } from '../reply.ts'
import type { ReadBody } from './body.ts'
import type { SenderScheme } from './code-scheme.ts'
import type { Dedupe, SchemeOptions, TimeForm } from './scheme.ts'

/**
 * A compiled scheme. The checks call it for every delivery. `senderAuthenticator` of `hookgate/schemes` makes one.
 *
 * @see {@link Authenticator}
 */
export interface Sender {
  /** The row that it was compiled from. */
  readonly scheme: SenderScheme
  /** The options that the user passed. */
  readonly options: SchemeOptions
  /** Lower-case names, without the signature headers. */
  readonly requiredHeaders: readonly string[]
  /** Headers that must not be repeated. They may be absent. */
  readonly singleHeaders: readonly string[]
  /** The header with the time. Undefined if the time is elsewhere, or if there is none. */
  readonly timestampHeader: string | undefined
  /** The header with the event ID. Undefined if the ID is elsewhere, or if there is none. */
  readonly eventIdHeader: string | undefined
  /** What identifies an event. */
  readonly dedupe: Dedupe
  /** The members of the event that the signature does not cover. */
  readonly unsigned: readonly ('id' | 'type' | 'sentAt')[]
  /** Finds the reader for a media type. Undefined if the sender does not use the type. */
  readonly readerFor: (mediaType: string | undefined) => ReadBody | undefined
  /** How the sender writes its time. Undefined if it sends none. */
  readonly time: TimeForm | undefined
  /** The sender's time, in seconds since 1970. NaN if missing or malformed. */
  readonly timeOf: (evidence: Evidence) => number
  /** The sender's ID. Empty if the delivery has none. */
  readonly idOf: (evidence: Evidence) => string
  /** The text after the ID in the template, which no signed ID may contain. */
  readonly idDivider: string
  /** The sender's name for what happened. Undefined if the delivery has none. */
  readonly typeOf: (evidence: Evidence) => string | undefined
  /** The store keys of an event with this ID, which may be empty. Call it only after verification. */
  readonly keysOf: (evidence: Evidence, id: string) => MaybePromise<readonly string[]>
  /** Answers a handshake. Undefined if the request is not a handshake. */
  readonly answer: (evidence: Evidence) => MaybePromise<{ readonly reply: Reply } | undefined>
}
