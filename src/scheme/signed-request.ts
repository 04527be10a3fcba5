import type { Json } from '../lib/json.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/** What a scheme's own function may read to say which bytes were signed. */
export interface SignedRequest {
  /** The HTTP method. */
  readonly method: string
  /** A header that came once. */
  readonly header: (name: string) => string | undefined
  /** The exact bytes. */
  readonly body: Uint8Array
  /** The configured `publicUrl`. Empty where the scheme takes none. */
  readonly publicUrl: string
  /** The body, parsed. Undefined when it does not parse. Nothing vouches for it yet. */
  readonly payload: () => Json | undefined
}

/** The bytes that a signature may stand for, the sender's usual ones first. Undefined when the request has none. */
export type SignedBytes = (request: SignedRequest) => MaybePromise<readonly Uint8Array[] | undefined>
