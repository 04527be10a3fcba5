import { CompactSign, importJWK, type JWK } from 'jose'
import { hmacWith, sha256 } from '#crypto'
import type { JwtAlgorithm } from '../crypto/algorithms.ts'
import { ListenerConfigError } from '../errors.ts'
import { encodeUtf8 } from '../lib/bytes.ts'
import type { Json } from '../lib/json.ts'
import { memberOf } from '../lib/member-of.ts'
import { checkOptions, type OptionCheck, type OptionTable } from '../lib/options.ts'
import { MAX_EXPIRY_SECONDS } from '../limits.ts'
import { EVENT_ID_HEADER, SIGNATURE_HEADER, signedBeforeBody, TIMESTAMP_HEADER } from '../specification.ts'
import { aBody, anyBytes, anything, aText, bodyBytes, type SentBody, sentBody } from './body.ts'

/** A request ready to send: `fetch(url, await signHmac(…))`. If the body is text, it stays text. */
export interface SignedRequest<Body = string | Uint8Array<ArrayBuffer>> {
  /** The only method that endpoints accept. */
  readonly method: 'POST'
  /** Where to send it, if the signature is in the query of the URL: `fetch(request.url ?? url, request)`. */
  readonly url?: string | undefined
  /** All headers that the endpoint requires, in lower case. */
  readonly headers: { readonly [name: string]: string }
  /** The signed body: text unchanged, bytes copied, any other value as its JSON text. */
  readonly body: Body
}

/**
 * Signs a delivery with HMAC, as
 * [hookgate's scheme](https://github.com/hookgate/hookgate/blob/main/docs/specification.md#hmac) defines it.
 *
 * @example
 * ```ts
 * const request = await signHmac({ secret, body: { total: 42 } })
 * await fetch('http://localhost:3000/webhooks', request)
 * ```
 *
 * @throws ListenerConfigError (as a rejection) for options that are unknown or wrong.
 */
export async function signHmac<const Body extends SignOptions['body']>(
  options: SignHmacOptions & { readonly body: Body },
): Promise<SignedRequest<SentBody<Body>>> {
  checkOptions('signHmac', options, HMAC_OPTIONS)
  const { body, eventId, timestamp, headers } = prepare(options)
  const mac = hmacWith('sha256', encodeUtf8(options.secret), 'base64url')
  const signature = await mac(signedBeforeBody(timestamp, eventId), body, '')
  return {
    method: 'POST',
    headers: { ...headers, [SIGNATURE_HEADER]: signature },
    body: sentBody(options.body),
  }
}

/**
 * Signs a delivery with a token that has the six claims of
 * [hookgate's scheme](https://github.com/hookgate/hookgate/blob/main/docs/specification.md#jwt).
 *
 * @example
 * ```ts
 * const request = await signJwt({
 *   privateKey,
 *   subject: 'https://tenant.example',
 *   audience: 'https://api.example.com/webhooks',
 *   body: { total: 42 },
 * })
 * ```
 *
 * @throws ListenerConfigError (as a rejection) for options that are unknown or wrong.
 */
export async function signJwt<const Body extends SignOptions['body']>(
  options: SignJwtOptions & { readonly body: Body },
): Promise<SignedRequest<SentBody<Body>>> {
  checkOptions('signJwt', options, JWT_OPTIONS)
  const { body, eventId, headers } = prepare(options)
  const { privateKey, algorithm = privateKey.alg, keyId = privateKey.kid } = options
  if (algorithm === undefined) {
    throw new ListenerConfigError('algorithm', 'must be set, here or as alg of the key')
  }
  const claims = {
    sub: options.subject,
    aud: options.audience,
    exp: Math.floor(Date.now() / 1000) + (options.expiresInSeconds ?? MAX_EXPIRY_SECONDS / 2),
    jti: eventId,
    htm: 'POST',
    htb_s256: await sha256(body),
    ...options.claims,
  }
  const token = await new CompactSign(encodeUtf8(JSON.stringify(claims)))
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) })
    .sign(await importJWK(privateKey, algorithm))
  return {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${token}` },
    body: sentBody(options.body),
  }
}

function prepare({
  body,
  eventId = crypto.randomUUID(),
  timestamp = Math.floor(Date.now() / 1000),
}: SignOptions) {
  const headers = {
    'content-type': 'application/json',
    [TIMESTAMP_HEADER]: `${timestamp}`,
    [EVENT_ID_HEADER]: eventId,
  }
  return { body: bodyBytes(body), eventId, timestamp: `${timestamp}`, headers }
}

/** The options that both methods share. */
export interface SignOptions {
  /** The body to sign and send: text (as UTF-8), bytes, or a value to send as JSON. */
  readonly body: Uint8Array | string | Json
  /** The event's ID. Defaults to a new UUID v4. */
  readonly eventId?: string | undefined
  /** The timestamp, in Unix seconds. Defaults to now. */
  readonly timestamp?: number | string | undefined
}

/** The options of `signHmac`. */
export interface SignHmacOptions extends SignOptions {
  /** The signing secret, as text. It is not decoded. */
  readonly secret: string
}

/** The options of `signJwt`. */
export interface SignJwtOptions extends SignOptions {
  /** A private JWK. Its `alg` and `kid` are used unless you set them here. */
  readonly privateKey: JWK
  /** `alg` of the token's header. Defaults to the key's. */
  readonly algorithm?: JwtAlgorithm | undefined
  /** `kid` of the token's header. Defaults to the key's. */
  readonly keyId?: string | undefined
  /** The tenant base URL. */
  readonly subject: string
  /** The full webhook endpoint URL. */
  readonly audience: string
  /** How long the token is valid, in seconds. Defaults to 300. Receivers accept at most 600. */
  readonly expiresInSeconds?: number | undefined
  /** Claims to add or to override, e.g. with wrong values. `undefined` leaves a claim out. */
  readonly claims?: { readonly [claim: string]: unknown } | undefined
}

const jwk: OptionCheck = (value, option) => {
  const secret = memberOf(value, 'd') ?? memberOf(value, 'k')
  if (typeof memberOf(value, 'kty') === 'string' && typeof secret === 'string') return
  throw new ListenerConfigError(option, 'must be a private JWK, like { kty, d, … }')
}

const OPTIONS: OptionTable<SignOptions> = { body: aBody, eventId: anyBytes, timestamp: anyBytes }

const HMAC_OPTIONS: OptionTable<SignHmacOptions> = { ...OPTIONS, secret: aText }

const JWT_OPTIONS: OptionTable<SignJwtOptions> = {
  ...OPTIONS,
  privateKey: jwk,
  algorithm: anything,
  keyId: anything,
  subject: anything,
  audience: anything,
  expiresInSeconds: anything,
  claims: anything,
}
