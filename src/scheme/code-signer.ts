import type { Json } from '../lib/json.ts'

/** A delivery for `signAs` to sign. @see {@link senderAuthenticator} */
export interface Unsigned {
  /** The body that the caller gave. */
  readonly body: Uint8Array<ArrayBuffer>
  /** The content type that will be sent. */
  readonly contentType: string
  /** The time that will be sent, in the scheme's unit. */
  readonly timestampText: string
  /** The ID that will be sent. */
  readonly eventId: string
  /** The body as JSON, to write a signature into. @throws ListenerConfigError */
  json(): Json
  /** An option of `signAs`. @throws ListenerConfigError if the caller did not give it. */
  need(option: 'secret' | 'keyId' | 'publicUrl'): string
}

/** What a signature adds to a delivery. @see {@link senderAuthenticator} */
export interface SignedParts {
  /** Headers by lower-case name. */
  readonly headers?: { readonly [name: string]: string }
  /** Replaces the body. */
  readonly body?: Uint8Array<ArrayBuffer>
}
