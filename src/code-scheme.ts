import type { Json } from './lib/json.ts'
import type { Coverage, Scheme, SignatureForm } from './scheme.ts'

/** A scheme whose signatures are verified by code. The rest is data, as in `Scheme`. */
export interface CodeScheme
  extends Omit<
    Scheme,
    | 'algorithm'
    | 'key'
    | 'signature'
    | 'signs'
    | 'otherHeaders'
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
  readonly signature: Pick<SignatureForm, 'headers' | 'member' | 'query'>
  /**
   * The members that `evidence.parsed()` reads, as JSON pointers, in which `*` stands for each element of a list. Nothing else is
   * parsed before authentication. Values of over 32 KB are read as `NaN`. Defaults to the whole body.
   */
  readonly readsFirst?: readonly string[]
  /** The signed values, named as in a template: `body`, `id`, `timestamp`, `/a/member`. */
  readonly signs: readonly string[]
  /** Events are remembered only for as long as a captured delivery can be replayed, because genuine bodies may repeat after it. */
  readonly retentionSeconds?: 'replay-window'
  /** What a signature covers. */
  readonly covers: Coverage
  /** The sender signs with a private key, and the factory takes `publicKeys` in place of secrets. */
  readonly hasKeyPair?: true
  /** The option of the factory that holds the public name of the secret, if it has one. `signAs` takes the name as `keyId`. */
  readonly keyIdOption?: string
  /** Signs a delivery for `signAs`. Omit it if only the sender holds the key. */
  readonly sign?: (delivery: Unsigned) => SignedParts | Promise<SignedParts>
}

/**
 * Another sender's scheme: a `Scheme` if it is data alone, a `CodeScheme` if code verifies its signatures. With a listener's options it
 * becomes a `CompiledScheme`, which answers what the checks ask.
 */
export type SenderScheme = Scheme | CodeScheme

/** A delivery for `signAs` to sign. */
export interface Unsigned {
  /** The body that the caller gave. */
  readonly body: Uint8Array<ArrayBuffer>
  /** The content type that will be sent. */
  readonly contentType: string
  /** The time that will be sent, in the scheme's unit. */
  readonly timestampText: string
  /** The ID that will be sent. */
  readonly eventId: string
  /** The body as JSON, to write a signature into. @throws ListenerConfigError */
  json(): Json
  /** An option of `signAs`. @throws ListenerConfigError if the caller did not give it. */
  need(option: 'secret' | 'keyId' | 'publicUrl'): string
}

/** What a signature adds to a delivery. */
export interface SignedParts {
  /** Where to send it, if the query has what is signed, or the signature. */
  readonly url?: string
  /** Headers by lower-case name. */
  readonly headers?: { readonly [name: string]: string }
  /** Replaces the body. */
  readonly body?: Uint8Array<ArrayBuffer>
}
