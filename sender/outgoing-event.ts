import type { SignOptions } from '../src/signing/sign-options.ts'

/**
 * An event to send. Every attempt sends the same ID and the same body.
 *
 * @see {@link deliver}
 */
export interface OutgoingEvent {
  /** The event's ID: a UUID v4 for hookgate's own scheme. */
  readonly id: string
  /** The body: text, bytes, or a value to send as JSON. Keep text or bytes: a value may be written anew in another order. */
  readonly body: SignOptions['body']
  /** The event's name, for schemes with a header for it. */
  readonly type?: string | undefined
}
