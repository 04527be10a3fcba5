import type { Json } from '../lib/json.ts'

/**
 * A body that is written in a way of its own.
 *
 * @see {@link defineScheme}
 */
export interface BodyForm {
  /** In lower case, without parameters. `*` stands for any type, and for none. */
  readonly mediaTypes: readonly string[]
  /** The whole header that `signAs` sends. */
  readonly contentType: string
  /** The event that a body holds. Undefined for a malformed one. */
  readonly read: (body: Uint8Array) => Json | undefined
  /** The body that `signAs` sends for an event in JSON. */
  readonly write: (event: Uint8Array) => Uint8Array<ArrayBuffer>
}
