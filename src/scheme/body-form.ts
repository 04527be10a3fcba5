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
  /**
   * Finds what there is too much of to parse the body before its sender is known: levels, or fields (at most `mostFields`).
   * Undefined if it can be parsed. Takes time in proportion to the bytes. Give one if the scheme reads the body to authenticate
   * it; without one, `read` itself must be as cheap.
   */
  readonly excess?: (body: Uint8Array, mostFields: number) => string | undefined
  /** Writes the body that `signAs` sends for a JSON event. */
  readonly write: (event: Uint8Array) => Uint8Array<ArrayBuffer>
}
