import type { Json } from '../lib/json.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Signed } from './signed-text.ts'

/**
 * What a scheme's own function may read to reconstruct the signed bytes.
 *
 * @see {@link SignedBytes}
 */
export interface SignedRequest {
  /** The HTTP method. */
  readonly method: string
  /** Returns a header. Undefined if absent or repeated. */
  readonly header: (name: string) => string | undefined
  /** Returns a header that may be a list. Repeated lines are joined with `, `. Undefined if absent. */
  readonly list: (name: string) => string | undefined
  /** The query exactly as received, without its question mark. Undefined if the URL is over 8,192 characters. */
  readonly queryText: () => string | undefined
  /** The exact bytes of the body. */
  readonly body: Uint8Array
  /** The configured `publicUrl`. Empty if the scheme has no such option. */
  readonly publicUrl: string
  /**
   * Parses the body. Undefined if it does not parse, or if it is not authenticated yet and over the limits of `Evidence.parsed`.
   */
  readonly payload: () => Json | undefined
}

/**
 * Returns the byte strings that a signature may cover, most likely first: whole, or in parts that need no copy. Undefined if the
 * request has none.
 *
 * @example
 * ```ts
 * const signs: SignedBytes = ({ body, header }) => [
 *   new TextEncoder().encode(`${header('x-topic')}.${new TextDecoder().decode(body)}`),
 * ]
 * ```
 */
export type SignedBytes = (
  request: SignedRequest,
) => MaybePromise<readonly (Uint8Array | Signed)[] | undefined>
