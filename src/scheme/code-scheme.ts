import type { Coverage, Scheme, SignatureForm } from './scheme.ts'

/** A scheme whose signatures no row can describe: everything else about its sender, as data. */
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
  /** No row describes it: `signAs` refuses it. */
  readonly algorithm: 'code'
  /** Where the signatures are. */
  readonly signature: Pick<SignatureForm, 'headers' | 'member'>
  /** What is signed, by the names of a template: `body`, `id`, `timestamp`, `/a/member`. */
  readonly signs: readonly string[]
  /** What a signature vouches for. */
  readonly covers: Coverage
}

/** Any sender's scheme. */
export type SenderScheme = Scheme | CodeScheme
