import type { SignOptions } from '../src/signing/sign.ts'

/**
 * An event to send. Use the same ID and the same body for every attempt.
 *
 * @see {@link deliver}
 */
export interface OutgoingEvent {
  /** The event's ID: a UUID v4 for hookgate's own scheme. */
  readonly id: string
  /**
   * The body: text, bytes, or a value to send as JSON. Store text or bytes for retries, because a value may be
   * serialised in another order.
   */
  readonly body: SignOptions['body']
  /** The event's type, for schemes that send it in a header. */
  readonly type?: string | undefined
}
