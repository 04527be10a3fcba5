import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { SignedParts, Unsigned } from './code-signer.ts'
import type { Coverage, Scheme, SignatureForm } from './scheme.ts'

/**
 * A scheme whose signatures are verified by code. The rest is data, as in `Scheme`.
 *
 * @see {@link senderAuthenticator}
 */
export interface CodeScheme
  extends Omit<
    Scheme,
    | 'algorithm'
    | 'key'
    | 'signature'
    | 'signs'
    | 'signedUrl'
    | 'publicKey'
    | 'fixedHeaders'
    | 'signAsHeaders'
    | 'takes'
    | 'covers'
  > {
  /** Verified by code. */
  readonly algorithm: 'code'
  /** Where the signatures are. */
  readonly signature: Pick<SignatureForm, 'headers' | 'member'>
  /** The signed values, named as in a template: `body`, `id`, `timestamp`, `/a/member`. */
  readonly signs: readonly string[]
  /** What a signature covers. */
  readonly covers: Coverage
  /** The option of the factory that holds the public name of the secret, if it has one. `signAs` takes the name as `keyId`. */
  readonly keyIdOption?: string
  /** Signs a delivery for `signAs`. Omit it if only the sender holds the key. */
  readonly sign?: (delivery: Unsigned) => MaybePromise<SignedParts>
}

/**
 * Another sender's scheme.
 *
 * @see {@link senderAuthenticator}
 */
export type SenderScheme = Scheme | CodeScheme
