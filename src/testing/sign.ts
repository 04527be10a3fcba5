import { CompactSign, importJWK, type JWK } from 'jose'
import { hmacSha256, sha256 } from '#crypto'
import type { JwtAlgorithm } from '../crypto/signature-keys.ts'
import type { Delivery } from '../delivery.ts'
import { MAX_EXPIRY_SECONDS } from '../limits.ts'

/** What both methods sign. */
export interface SignOptions {
  /** The body to sign and send: text (as UTF-8) or bytes. */
  readonly body: Uint8Array | string
  /** Default: a new UUID v4. */
  readonly eventId?: string | undefined
  /** Unix seconds. Default: now. */
  readonly timestamp?: number | string | undefined
}

/** The options of `signHmac`. */
export interface SignHmacOptions extends SignOptions {
  /** The signing secret, as text: it is not decoded. */
  readonly secret: string
}

/** The options of `signJwt`. */
export interface SignJwtOptions extends SignOptions {
  /** A private JWK. Its `alg` and `kid` are used unless given here. */
  readonly privateKey: JWK
  /** `alg` of the token's header. Default: that of the key. */
  readonly algorithm?: JwtAlgorithm | undefined
  /** `kid` of the token's header. Default: that of the key. */
  readonly keyId?: string | undefined
  /** The tenant base URL. */
  readonly subject: string
  /** The full webhook endpoint URL. */
  readonly audience: string
  /** How long the token is valid, in seconds. Default 300, at most 600 is accepted. */
  readonly expiresInSeconds?: number | undefined
  /** Claims to add, or to replace the right ones with wrong ones. `undefined` leaves a claim out. */
  readonly claims?: { readonly [claim: string]: unknown } | undefined
}

/** A request ready to send: `fetch(url, await signHmac(…))`. */
export interface SignedRequest {
  /** The only method that is accepted. */
  readonly method: 'POST'
  /** All that the endpoint requires, in lower case. */
  readonly headers: { readonly [name: string]: string }
  /** The exact bytes that were signed. */
  readonly body: Uint8Array<ArrayBuffer>
}

/** Signs a delivery as a sender with the HMAC method does (specification 5.2). */
export async function signHmac({ secret, ...options }: SignHmacOptions): Promise<SignedRequest> {
  const { body, headers, prefix } = prepare(options)
  const signature = await hmacSha256(secret)(prefix, body)
  return { method: 'POST', headers: { ...headers, 'webhook-signature': signature }, body }
}

/** Signs a delivery as a sender with the JWT method does: the six claims of specification 5.2. */
export async function signJwt(options: SignJwtOptions): Promise<SignedRequest> {
  const { body, eventId, headers } = prepare(options)
  const { privateKey, algorithm = privateKey.alg, keyId = privateKey.kid } = options
  if (algorithm === undefined) throw new TypeError('signJwt: give an algorithm, or a key with alg')
  const claims = {
    sub: options.subject,
    aud: options.audience,
    exp: Math.floor(Date.now() / 1000) + (options.expiresInSeconds ?? MAX_EXPIRY_SECONDS / 2),
    jti: eventId,
    htm: 'POST',
    htb_s256: await sha256(body),
    ...options.claims,
  }
  const token = await new CompactSign(encoder.encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) })
    .sign(await importJWK(privateKey, algorithm))
  return { method: 'POST', headers: { ...headers, authorization: `Bearer ${token}` }, body }
}

/** What an adapter would hand to `verify` on receiving this request. */
export function toDelivery(request: SignedRequest, sourceIp?: string): Delivery {
  return {
    method: request.method,
    header: (name) => request.headers[name],
    body: request.body,
    sourceIp,
  }
}

const encoder = new TextEncoder()

function prepare({
  body,
  eventId = crypto.randomUUID(),
  timestamp = Math.floor(Date.now() / 1000),
}: SignOptions) {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body.slice()
  const headers = {
    'content-type': 'application/json',
    'webhook-timestamp': `${timestamp}`,
    'webhook-event-id': eventId,
  }
  return { body: bytes, eventId, headers, prefix: `${timestamp}.${eventId}.` }
}
