import { CompactSign, importJWK } from 'jose'
import { hmacWith, sha256 } from '#crypto'
import type { Delivery } from '../delivery.ts'
import { ListenerConfigError } from '../errors.ts'
import { checkOptions } from '../lib/options.ts'
import { MAX_EXPIRY_SECONDS } from '../limits.ts'
import {
  HMAC_OPTIONS,
  JWT_OPTIONS,
  type SignHmacOptions,
  type SignJwtOptions,
  type SignOptions,
} from './sign-options.ts'

/** A request ready to send: `fetch(url, await signHmac(…))`. */
export interface SignedRequest {
  /** The only method that is accepted. */
  readonly method: 'POST'
  /** All that the endpoint requires, in lower case. */
  readonly headers: { readonly [name: string]: string }
  /** The exact bytes that were signed. */
  readonly body: Uint8Array<ArrayBuffer>
}

/**
 * Signs a delivery as a sender with the HMAC method does (specification 5.2).
 *
 * @throws ListenerConfigError (as a rejection) for options that are unknown or wrong.
 */
export async function signHmac(options: SignHmacOptions): Promise<SignedRequest> {
  checkOptions('signHmac', options, HMAC_OPTIONS)
  const { body, headers, prefix } = prepare(options)
  const signature = await hmacWith('sha256', encoder.encode(options.secret), 'base64url')(prefix, body, '')
  return { method: 'POST', headers: { ...headers, 'webhook-signature': signature }, body }
}

/**
 * Signs a delivery as a sender with the JWT method does: the six claims of specification 5.2.
 *
 * @throws ListenerConfigError (as a rejection) for options that are unknown or wrong.
 */
export async function signJwt(options: SignJwtOptions): Promise<SignedRequest> {
  checkOptions('signJwt', options, JWT_OPTIONS)
  const { body, eventId, headers } = prepare(options)
  const { privateKey, algorithm = privateKey.alg, keyId = privateKey.kid } = options
  if (algorithm === undefined) {
    throw new ListenerConfigError('algorithm', 'must be given, or stand in the key as alg')
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
  const token = await new CompactSign(encoder.encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) })
    .sign(await importJWK(privateKey, algorithm))
  return { method: 'POST', headers: { ...headers, authorization: `Bearer ${token}` }, body }
}

/** What an adapter would hand to `verify` on receiving this request. @throws ListenerConfigError for what is none. */
export function toDelivery(request: SignedRequest, sourceIp?: string): Delivery {
  if (!request?.headers) {
    throw new ListenerConfigError('toDelivery', 'takes what signHmac() or signJwt() resolves with: await it')
  }
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
  const bytes = typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body) // a Buffer's slice() is no copy
  const headers = {
    'content-type': 'application/json',
    'webhook-timestamp': `${timestamp}`,
    'webhook-event-id': eventId,
  }
  return { body: bytes, eventId, headers, prefix: `${timestamp}.${eventId}.` }
}
