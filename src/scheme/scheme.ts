import type { BodyForm } from './body-form.ts'
import type { Handshake } from './handshake.ts'
import type { SignedBytes } from './signed-request.ts'

/** Where a text stands in a delivery. @see {@link defineScheme} */
export type Place =
  /** The whole value of a header, by its lower-case name. */
  | { readonly header: string }
  /** One item of the signature header, by what it begins with: `t=`. */
  | { readonly item: string }
  /** A member of the body, as a JSON pointer (RFC 6901): `/data/id`. Read after authentication. */
  | { readonly member: string }

/** How a signature is made. `token`: the secret itself is sent, and vouches for nothing but the caller. @see {@link defineScheme} */
export type Algorithm =
  | 'hmac-sha256'
  | 'hmac-sha1'
  | 'hmac-sha512'
  | 'ed25519'
  | 'ecdsa-p256-sha256'
  | 'token'

/** How the key is written in what the sender's console shows. @see {@link defineScheme} */
export type KeyForm =
  /** The UTF-8 bytes of the secret as given out. */
  | 'text'
  | 'hex'
  | 'base64'
  /** Padded base64 behind a fixed prefix: `whsec_`. */
  | { readonly base64After: string }

/** How a signature is spelt. Each byte string has one spelling: lower-case hex, canonical base64. @see {@link defineScheme} */
export type Spelling = 'hex' | 'base64' | 'base64url'

/** Where the signatures are, and how they are written. @see {@link defineScheme} */
export interface SignatureForm {
  /** Lower-case names. Each may be absent, but not all of them; none may be repeated. Empty with `member`. */
  readonly headers: readonly string[]
  /** The member of the body that holds the signature, for senders that send no header. The body is parsed to find it. */
  readonly member?: string
  /** The header is a list, cut here. `', '` also takes items that no blank stands before. */
  readonly separator?: ' ' | ',' | ', ' | ';'
  /** What a signature begins with. Items of a list that begin otherwise are passed over. */
  readonly prefix?: string
  /** How signatures are spelt. Tokens need none. */
  readonly spelling?: Spelling
  /** How many signatures of a delivery are looked at. Default 10. */
  readonly atMost?: number
}

/** The sender's clock. @see {@link defineScheme} */
export type TimeForm = Place & {
  readonly unit: 'seconds' | 'milliseconds' | 'rfc3339'
  /** `attempt`: new with each attempt, so it is held to a window. `event`: the same on each retry, so it may be old. */
  readonly of: 'attempt' | 'event'
  /**
   * How far off an attempt, or how old an event, may be. In seconds, inclusive. Left out where the sender documents none: then
   * nothing is refused for its age unless the listener sets `toleranceSeconds`.
   */
  readonly toleranceSeconds?: number
  /** How far ahead an attempt may be. In seconds; default `toleranceSeconds`. */
  readonly aheadSeconds?: number
  /** The body writes the number as text: `"1763640000"`. */
  readonly asText?: true
}

/** What a body may be. `json as text` is JSON that the sender calls `text/plain`. @see {@link defineScheme} */
export type Content = 'json' | 'form' | 'json as text' | BodyForm

/** What is claimed in the store. Both: the signed bytes first, then the ID. @see {@link defineScheme} */
export type Dedupe = 'id' | 'signed bytes' | 'signed bytes and id' | 'off'

/** What the signature vouches for: the body, some values of it, nothing but the caller. @see {@link defineScheme} */
export type Coverage = 'body' | 'values' | 'token' | 'nothing'

/** A sender's scheme, as data. `defineScheme` makes the function of it that a listener's `auth` is given. @see {@link defineScheme} */
export interface Scheme {
  /** Lower case, as in `hookgate/schemes/<name>`. */
  readonly name: string
  /** The sender, as it writes its name. */
  readonly sender: string
  /** What its console calls the secret or key, and where it stands. For messages and the documentation. */
  readonly secretName: string
  /** How a signature is made. */
  readonly algorithm: Algorithm
  /** How the secret, or the public key, is written. */
  readonly key: KeyForm
  /** Where the signatures are. */
  readonly signature: SignatureForm
  /**
   * What is signed: `{id}`, `{timestamp}`, `{method}`, `{url}`, `{body}` and `{/members/of/the/body}`, and the texts between them.
   * A function for what no template can say.
   */
  readonly signs: string | SignedBytes
  /** A second kind of key that the same listener may be given: Standard Webhooks v1a. */
  readonly publicKey?: {
    readonly algorithm: 'ed25519'
    readonly key: { readonly base64After: string }
    readonly prefix: string
  }
  /** The sender's clock. Left out where a delivery holds no time that counts. */
  readonly timestamp?: TimeForm
  /** The ID that stays the same when the sender repeats an event. */
  readonly eventId?: Place
  /** The sender's own name for what happened. */
  readonly eventType?: Place
  /** Left out, it follows from what is signed. `off` for senders whose honest bodies repeat. */
  readonly dedupe?: Dedupe
  /** Default JSON alone. */
  readonly content?: readonly Content[]
  /** A member of forms that holds JSON. */
  readonly jsonField?: string
  /** The largest body that the sender sends, in bytes. */
  readonly maxBodyBytes: number
  /** How long events are remembered. In seconds; default 7 days with a signed attempt time, otherwise 30. */
  readonly retentionSeconds?: number
  /** At most half the span in which the sender retries. In seconds; default 60. */
  readonly leaseSeconds?: number
  /** Headers with a fixed value: another one is another scheme. */
  readonly fixedHeaders?: { readonly [name: string]: string }
  /** How the sender asks whether the endpoint is there. */
  readonly handshake?: Handshake
  /** The URL as it is signed, from the URL as it is configured. */
  readonly signedUrl?: (publicUrl: string) => string
  /** Further options that the factory takes. `publicUrl` follows from `signs`. */
  readonly takes?: readonly ('publicUrl' | 'verifyToken' | 'onHandshake')[]
  /** Answers 401 without a body. */
  readonly bareUnauthorized?: boolean
  /** What the signature does not cover, in one sentence. For the documentation. */
  readonly limits: string
  /** Left out, it follows from what is signed. */
  readonly covers?: Coverage
}
