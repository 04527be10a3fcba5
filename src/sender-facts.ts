/**
 * What errors and `hookgate/explain` know of a sender beyond its signature. Nothing here changes a verdict, except that
 * `otherKeys` are refused at the start if the sender makes the secret, and a secret that lacks some of its `hexDigits` gets a warning.
 */
export interface SenderFacts {
  /** How secrets begin, if the sender does not promise it. See `secretPrefix`. */
  readonly usualPrefix?: string
  /** The sender's other keys and IDs that are mistaken for the secret: how they begin, and what they are. */
  readonly otherKeys?: { readonly [beginning: string]: string }
  /** Every secret is so many hexadecimal digits. */
  readonly hexDigits?: number
  /** The sender signs with the key of its API, so that key is the secret. */
  readonly signsWithApiKey?: true
  /** Which other secrets of the same kind there are. One sentence. */
  readonly otherSecrets?: string
  /**
   * When the sender does not sign, or send its token, and where to change that. One sentence, without its stop. False if it signs
   * all that it sends. Omit it only if you do not know.
   */
  readonly unsigned?: string | false
  /** Formats that the sender can send and that are not read, and where to choose another. One sentence. */
  readonly otherFormats?: string
  /** What the sender sends that does not verify, although nothing is wrong, e.g. a test. One sentence. */
  readonly tests?: string
  /** A secret that everybody knows, with which the sender signs its tests. */
  readonly testSecret?: string
  /** The member of the body, as a JSON pointer, that tells test events from live ones, and its two values. */
  readonly mode?: {
    readonly member: string
    readonly live: string | boolean
    readonly test: string | boolean
  }
  /** Other senders sign in the same way, so their deliveries look like this one's. */
  readonly isShared?: true
  /** Signature headers of other versions, by lower-case name: how their values begin, and what they are. */
  readonly otherVersions?: { readonly [header: string]: { readonly begins?: string; readonly is: string } }
  /** What a scheme of code computes that is weaker than its signature looks: SHA-1, a hash without a key of its own, or a checksum. */
  readonly weakBy?: 'hmac-sha1' | 'rsa-sha1' | 'plain-hash' | 'crc-32'
  /** When a delivery has a token in place of the signature, as a continuation of the sender's name: `without HMAC signing`. */
  readonly tokenWhen?: string
  /** Keys or certificates come from the sender's host: by a name that each delivery has, or as one set. */
  readonly keyHost?: 'by name' | 'one set'
  /** The names of a form's fields in the sender's order, with spaces between, if it signs the form's text. */
  readonly formOrder?: string
}
