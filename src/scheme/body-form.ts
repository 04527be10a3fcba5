import type { Json } from '../lib/json.ts'

/**
 * A body in a sender's own format.
 *
 * @see {@link defineScheme}
 */
export interface BodyForm {
  /** Lower case, without parameters. `*` matches any type, and a missing one. */
  readonly mediaTypes: readonly string[]
  /** The whole header that `signAs` sends. */
  readonly contentType: string
  /** Parses a body into the event. Undefined if it is malformed. */
  readonly read: (body: Uint8Array) => Json | undefined
  /** Writes the body that `signAs` sends for a JSON event. */
  readonly write: (event: Uint8Array) => Uint8Array<ArrayBuffer>
}
