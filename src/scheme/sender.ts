import type { Evidence } from '../auth/evidence.ts'
import type { Held } from '../claim-keys.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Reply } from '../reply.ts'
import type { SenderScheme } from './code-scheme.ts'
import type { ReadBody } from './content.ts'
import type { Dedupe, TimeForm } from './scheme.ts'
import type { SchemeOptions } from './scheme-options.ts'

/** A scheme as its listener needs it: compiled once, and asked by the checks for every delivery. */
export interface Sender {
  readonly scheme: SenderScheme
  /** What the user configured. */
  readonly options: SchemeOptions
  /** Lower-case names, beside the signature's. */
  readonly requiredHeaders: readonly string[]
  /** Those that may be absent, but not repeated. */
  readonly singleHeaders: readonly string[]
  readonly timestampHeader: string | undefined
  readonly eventIdHeader: string | undefined
  readonly dedupe: Dedupe
  /** The members of the event that no signature covers. */
  readonly unsigned: readonly ('id' | 'type' | 'sentAt')[]
  /** Undefined for a content type that the sender does not send. */
  readonly readerFor: (mediaType: string | undefined) => ReadBody | undefined
  readonly time: TimeForm | undefined
  /** What the sender's clock said, in seconds since 1970. NaN where it said nothing, or nothing well formed. */
  readonly timeOf: (evidence: Evidence) => number
  /** The sender's ID; empty where the delivery has none. */
  readonly idOf: (evidence: Evidence) => string
  /** No signed ID may hold it. */
  readonly idDivider: string
  readonly typeOf: (evidence: Evidence) => string | undefined
  /** The bytes that the signature stood for, once it has been verified. */
  readonly signedBytes: (evidence: Evidence) => Uint8Array
  /** What stands for an ID in the store: itself where it is a UUID v4, otherwise a UUIDv8. */
  readonly keyOfId: (id: string) => MaybePromise<string>
  /** What stands for signed bytes in the store. */
  readonly keyOfBytes: (bytes: Uint8Array) => MaybePromise<string>
  /** One claim for all keys of an event. */
  readonly hold: (keys: readonly string[], claim: (key: string) => Held) => Held
  /** Undefined for a request that is no handshake. */
  readonly answer: (evidence: Evidence) => MaybePromise<{ readonly reply: Reply } | undefined>
}
