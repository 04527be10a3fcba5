import type { Secrets } from './auth/secrets.ts'
import type { FormField } from './body.ts'
import type { Signed, SignedBody, Spelling } from './crypto/algorithms.ts'
import type { Delivery } from './delivery.ts'
import type { Json } from './lib/json.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import type { TimeUnit } from './lib/time.ts'
import type { UnreadBytes } from './lib/unread.ts'
import type { Failure } from './reason.ts'
import type { Reply } from './reply.ts'
import type { SenderFacts } from './sender-facts.ts'

/** Where to find a value in a delivery. */
export type ValueLocation =
  /** The whole value of a header, by its lower-case name. */
  | { readonly header: string }
  /** One item of the signature header, by its prefix, e.g. `t=`. Empty: the first item, which is no signature. */
  | { readonly item: string }
  /** A member of the body, as a JSON pointer (RFC 6901), e.g. `/data/id`. Read after authentication. */
  | { readonly member: string }

/** The algorithms that a sender signs with a private key by. Those of RSA salt with as many bytes as the hash has, if they are PSS. */
export type PublicKeyAlgorithm =
  | 'ed25519'
  | 'ecdsa-p256-sha256'
  | 'ecdsa-p384-sha384'
  | 'rsa-v1_5-sha256'
  | 'rsa-v1_5-sha384'
  | 'rsa-pss-sha256'
  | 'rsa-pss-sha384'

/** The signature algorithm. `token` sends the secret itself, which only identifies the caller. */
export type Algorithm =
  | 'hmac-sha256'
  | 'hmac-sha1'
  | 'hmac-sha384'
  | 'hmac-sha512'
  | PublicKeyAlgorithm
  | 'token'

/** The encoding of the key in the sender's console. */
export type KeyForm =
  /** The UTF-8 bytes of the secret as shown. */
  | 'text'
  | 'hex'
  | 'base64'
  /** Padded base64 after a fixed prefix, e.g. `whsec_`. */
  | { readonly base64After: string }

/** The encoding of a signature: as in `Spelling`, or hex whose letters are all upper case. */
export type SignatureSpelling = Spelling | 'upper-case-hex'

/** Where the signatures are, and their format. */
export interface SignatureForm {
  /** Lower-case names. At least one header must be present, and none may be repeated. Empty if `member` or `query` is set. */
  readonly headers: readonly string[]
  /** The member of the body that holds the signature, if no header does. The body is then parsed before authentication. */
  readonly member?: string
  /**
   * The parameter of the URL's query that holds the signature, if nothing else does. It is percent-decoded, and must be there once. Does not
   * go with `{url}`, which covers the query.
   */
  readonly query?: string
  /**
   * Splits the header into items. With `', '`, spaces around a comma do not count. With `' '`, a comma may stand before it. With either,
   * different lines of the header are joined.
   */
  readonly separator?: ' ' | ',' | ', ' | ';'
  /** The separator that the sender writes. Defaults to `separator`. */
  readonly writtenSeparator?: ','
  /** The prefix of a signature. Items without it are ignored. */
  readonly prefix?: string
  /** Items without the prefix are signatures too. */
  readonly prefixOptional?: true
  /** The encoding of signatures. Omit it for tokens. */
  readonly spelling?: SignatureSpelling
  /** An ECDSA signature is r and s, each as long as the curve's numbers (IEEE P1363). Defaults to DER, an Ecdsa-Sig-Value. */
  readonly ecdsa?: 'p1363'
  /** The most signatures of a delivery that are compared. Defaults to 10. */
  readonly maxSignatures?: number
}

/** The sender's clock. */
export type TimeForm = ValueLocation & {
  readonly unit: TimeUnit
  /**
   * `attempt`: set again for each attempt, so it must be recent. `event`: the same on each retry, so it may
   * be old.
   */
  readonly of: 'attempt' | 'event'
  /** With `of: 'event'`: it is set again for each attempt all the same, in a form that the sender does not document. */
  readonly eachAttempt?: true
  /**
   * The largest clock difference of an attempt, or the largest age of an event, in seconds, inclusive. Omit it if the
   * sender documents none. Then no delivery is refused for its age unless the listener sets `toleranceSeconds`.
   */
  readonly toleranceSeconds?: number
  /** How far ahead of the clock an attempt may be, in seconds. Defaults to `toleranceSeconds`. */
  readonly aheadSeconds?: number
  /** The body holds the number as a string, e.g. `"1763640000"`. */
  readonly asText?: true
}

/** A body format. `json-as-text` is JSON sent as `text/plain`. */
export type Content = 'json' | 'form' | 'json-as-text' | BodyForm

/**
 * What identifies an event in the store. `signed-bytes-per-topic` adds the topic to the signed bytes if it is one of
 * `topics`. `signed-bytes-and-id` claims the signed bytes first, then the ID.
 */
export type Dedupe = 'id' | 'signed-bytes' | 'signed-bytes-per-topic' | 'signed-bytes-and-id' | 'off'

/** What the signature covers: the body, or some of its values. `token` and `nothing` only identify the caller. */
export type Coverage = 'body' | 'values' | 'token' | 'nothing'

/** A sender's scheme, as data. `defineScheme` turns it into a function that makes a listener's `auth`. */
export interface Scheme {
  /** The lower-case name, as in `hookgate/schemes/<name>`. */
  readonly name: string
  /** The sender's name, as it writes it. */
  readonly sender: string
  /** The name of the secret or key in the sender's console. For messages and the documentation. */
  readonly secretName: string
  /**
   * How every secret begins in the sender's console, e.g. `whsec_`. Omit it if secrets have no fixed prefix, or if users choose
   * them.
   */
  readonly secretPrefix?: string
  /**
   * Who makes the secret. One that the sender makes is refused at the start if it is a placeholder, in quotes, another key or
   * something else that the sender never makes. If you choose it, any text may be one. Defaults to `sender` if secrets have a
   * prefix, and otherwise to `user`.
   */
  readonly secretMadeBy?: 'sender' | 'user'
  /** The signature algorithm. */
  readonly algorithm: Algorithm
  /** The encoding of the secret or public key. */
  readonly key: KeyForm
  /** Where the signatures are. */
  readonly signature: SignatureForm
  /**
   * The signed text, as a template of `{id}`, `{timestamp}`, `{method}`, `{url}`, `{body}` and
   * `{/members/of/the/body}`. Pass a function if a template cannot express it.
   */
  readonly signs: string | SignedBytes
  /**
   * The sender's second family of headers: the row's names, and those that stand in their place. A delivery has the headers of one
   * family. One with headers of both is refused.
   */
  readonly otherHeaders?: { readonly [header: string]: string }
  /** A second kind of key for the same listener, e.g. for Standard Webhooks v1a. */
  readonly publicKey?: {
    readonly algorithm: 'ed25519'
    readonly key: { readonly base64After: string }
    readonly prefix: string
  }
  /** The time of the delivery. Omit it if a delivery holds no reliable time. */
  readonly timestamp?: TimeForm
  /** The event's ID, which stays the same on retries. */
  readonly eventId?: ValueLocation
  /**
   * Returns what is claimed instead of the event's ID, if that differs between attempts, or is unique only together with
   * another value. `id` is empty if the delivery has none. Return an empty text to claim the ID itself.
   */
  readonly claimedId?: (
    id: string,
    request: { readonly payload: unknown; readonly delivery: Delivery },
  ) => string
  /** The event's type, in the sender's words. */
  readonly eventType?: ValueLocation
  /**
   * The documented values of `eventType`, if an unsigned header holds it and events of two types may have the same body.
   * Each is claimed apart. All other values are claimed as one, so inventing types runs a captured delivery only once
   * more. The factory then takes `topics`.
   */
  readonly topics?: readonly string[]
  /** Derived from what is signed by default. Use `off` if the sender's genuine bodies repeat. */
  readonly dedupe?: Dedupe
  /** Genuine bodies repeat, so a delivery without the ID that is claimed claims nothing. */
  readonly bodiesRepeat?: true
  /**
   * The methods of deliveries. Defaults to POST only. The payload of a GET is its query, read as a form. One with a body is
   * refused.
   */
  readonly methods?: readonly ('POST' | 'GET')[]
  /** The accepted body formats. Defaults to JSON only. */
  readonly content?: readonly Content[]
  /**
   * The form field that holds JSON. A form with this field has no other, and its payload has the parsed JSON in place of the
   * text. A form without it is read as it is.
   */
  readonly jsonField?: string
  /** The sender's largest body, in bytes. If the body is read to authenticate it, at most 262,144 unless the sender documents more. */
  readonly maxBodyBytes: number
  /**
   * The most members, elements, form fields or parts of a body that is read to authenticate it. Bodies with more are refused
   * before they are parsed. Defaults to 1,000. Larger batches need a larger number, and cost more to forge.
   */
  readonly maxFields?: number
  /** The lease of a claim, in seconds. At most half the time over which the sender retries. Defaults to 60. */
  readonly leaseSeconds?: number
  /**
   * How long the lease of a running handler is renewed, in seconds. With the lease, at most the time over which the sender retries, so
   * that an attempt remains. Defaults to 900.
   */
  readonly maxRunSeconds?: number
  /** Headers that must have a fixed value, e.g. a version. Any other value is refused. */
  readonly fixedHeaders?: { readonly [name: string]: string }
  /** Headers that `signAs` also sends, e.g. a list of what is signed. No check asks for their values. */
  readonly signAsHeaders?: { readonly [name: string]: string }
  /** Answers the sender's check that the endpoint exists. */
  readonly handshake?: HandshakeForm
  /** Converts the URL into the signed one. */
  readonly signedUrl?: (publicUrl: string) => string
  /** Additional options of the factory. A `{url}` in `signs` implies `publicUrl`. */
  readonly takes?: readonly ('publicUrl' | 'verifyToken' | 'onHandshake')[]
  /** What the signature does not cover. One sentence, for the documentation. */
  readonly limits: string
  /** What errors and `hookgate/explain` know of the sender. */
  readonly facts?: SenderFacts
  /** What a signature covers. Derived from what is signed by default. */
  readonly covers?: Coverage
}

/** A body in a sender's own format. */
export interface BodyForm {
  /** Lower case, without parameters. `*` matches any type, and a missing one. */
  readonly mediaTypes: readonly string[]
  /** The whole header that `signAs` sends. */
  readonly contentType: string
  /** What a body must be, for messages: `a form whose only field is payload`. Defaults to the first media type. */
  readonly is?: string
  /** Parses a body into the event. Undefined if it is malformed. */
  readonly read: (body: Uint8Array) => Json | undefined
  /**
   * Finds what there is too much of to parse the body before its sender is known: levels, or fields (at most `maxFields`).
   * Undefined if it can be parsed. Takes time in proportion to the bytes. Give one if the scheme reads the body to authenticate
   * it; without one, `read` itself must be as cheap.
   */
  readonly excess?: (body: Uint8Array, maxFields: number) => string | undefined
  /**
   * Finds the JSON in a body, if `read` parses nothing else. Then only the members that authenticate the delivery are parsed
   * before its sender is known.
   */
  readonly json?: (body: Uint8Array) => Uint8Array | undefined
  /** Writes the body that `signAs` sends for a JSON event. */
  readonly write: (event: Uint8Array) => Uint8Array<ArrayBuffer>
}

/** What a handshake's `answer` may read. */
export interface HandshakeRequest extends SchemeRequest {
  /** A query parameter. Undefined if absent or repeated. */
  readonly query: (name: string) => string | undefined
  /** The name of the secret that signed the handshake. Undefined if it is not signed. */
  readonly secretId: string | undefined
  /** The current time, in whole seconds since 1970. */
  readonly now: number
  /** False if `observeWebhook` judges the request beside an old check. The answer is then not sent, and must change nothing. */
  readonly enforced: boolean
}

/** Answers requests that check whether the endpoint exists, or who owns it. They never reach a handler. */
export interface HandshakeForm {
  /**
   * Whether the sender signs the handshake. Signed ones are answered after authentication, others after the size and
   * the source address are checked.
   */
  readonly signed: boolean
  /**
   * The handshake brings the secret of the deliveries, and is signed with it. Once `secrets` are set, only one that they sign is
   * answered, after authentication. Before, `answer` checks the signature.
   */
  readonly bringsItsKey?: true
  /** Returns the reply, or why the handshake is refused. Undefined if the request is not a handshake. */
  answer(
    request: HandshakeRequest,
    options: SchemeOptions,
  ): MaybePromise<Reply | Failure<'body_malformed' | 'timestamp_out_of_range'> | undefined>
  /**
   * Answers what the sender does not sign, if it signs its other handshakes. Called before the headers are checked. A stranger
   * can send the same, so the answer must depend on nothing secret.
   */
  readonly answerUnsigned?: (request: HandshakeRequest) => Reply | undefined
}

/** What a scheme's own function may read to reconstruct the signed bytes. */
export interface SchemeRequest {
  /** The HTTP method. */
  readonly method: string
  /** Returns a header. Undefined if absent or repeated. */
  readonly header: (name: string) => string | undefined
  /** Returns a header that may be a list. Repeated lines are joined with `, `. Undefined if absent. */
  readonly list: (name: string) => string | undefined
  /** The query exactly as received, without its question mark. Undefined if the URL is over 8,192 characters. */
  readonly queryText: () => string | undefined
  /** The request's path and query, or its full URL, exactly as received. Undefined if the host does not know it. */
  readonly url: string | undefined
  /** Says in the refusal's detail why there are no signed bytes: `return refuse('…')`. For your logs only. */
  readonly refuse: (detail: string) => undefined
  /** The exact bytes of the body, to hash or to sign. */
  readonly body: UnreadBytes
  /** The body as a text. Undefined if it is not UTF-8, or over `mostBytes`, which is at most 393,216. */
  readonly text: (mostBytes: number) => string | undefined
  /** The configured `publicUrl`. Empty if the scheme has no such option. */
  readonly publicUrl: string
  /**
   * Parses the body. Undefined if it does not parse, or if it is not authenticated yet and over the limits of `Evidence.parsed`.
   */
  readonly payload: () => Json | undefined
  /**
   * Decodes the fields of a form, their values as bytes, which takes less memory than `payload`. Undefined if the body is no form, or
   * over those limits.
   */
  readonly fields: () => readonly FormField[] | undefined
}

/**
 * Returns the byte strings that a signature may cover, most likely first: whole, or in parts that need no copy. Undefined if the
 * request has none.
 *
 * @example
 * ```ts
 * const signs: SignedBytes = ({ body, header }) => [{ before: `${header('x-topic')}.`, body, after: '' }]
 * ```
 */
export interface SignedBytes {
  (request: SchemeRequest): MaybePromise<readonly (SignedBody | Signed)[] | undefined>
  /** The same, compiled for one `publicUrl`. */
  readonly forUrl?: (publicUrl: string) => SignedBytes
}

/** The options of all schemes. Each scheme throws for those that it does not take. */
export interface SchemeOptions {
  /** The signing secret, or several during a rotation. */
  readonly secrets?: Secrets
  /** The sender's public key, or several during a rotation. For schemes that sign with a private key. */
  readonly publicKeys?: Secrets
  /**
   * The full URL of the endpoint, exactly as the sender knows it. For schemes that sign the URL. Origin and path are
   * never taken from a request. Without a query, any query that the sender has signed is accepted; with one, no other.
   */
  readonly publicUrl?: string | undefined
  /**
   * What identifies an event in the store: its ID, the bytes that are signed, or nothing, so that duplicates run. By default,
   * the strongest of them that the sender signs. [What each choice costs](https://github.com/hookgate/hookgate/blob/main/docs/duplicates.md).
   */
  readonly dedupe?: 'id' | 'signed-bytes' | 'off' | undefined
  /**
   * Topics that you receive besides those that the sender documents. Events of two topics may have the same body, so the
   * topic is part of what is claimed. An unknown topic is not, because the topic is not signed.
   */
  readonly topics?: readonly string[] | undefined
  /** The token that the sender repeats in its handshake. */
  readonly verifyToken?: string | undefined
  /** Called with the secret that a handshake delivers. Never awaited. */
  readonly onHandshake?: ((given: { readonly secret: string }) => unknown) | undefined
}
