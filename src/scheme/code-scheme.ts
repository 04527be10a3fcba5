import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { SignedParts, Unsigned } from './code-signer.ts'
import type { Coverage, Scheme, SignatureForm } from './scheme.ts'

/**
 * A scheme with its own code for signatures. Everything else about the sender is data, as in `Scheme`.
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
    | 'takes'
    | 'covers'
  > {
  /** Verified by code. */
  readonly algorithm: 'code'
  /** Where the signatures are. */
  readonly signature: Pick<SignatureForm, 'headers' | 'member'>
  /** What is signed, in the names of a template: `body`, `id`, `timestamp`, `/a/member`. */
  readonly signs: readonly string[]
  /** What a signature covers. */
  readonly covers: Coverage
  /** Signs a delivery for `signAs`. Left out where only the sender holds the key. */
  readonly sign?: (delivery: Unsigned) => MaybePromise<SignedParts>
}

/**
 * Another sender's scheme.
 *
 * @see {@link senderAuthenticator}
 */
export type SenderScheme = Scheme | CodeScheme
