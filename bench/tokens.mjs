// Keys, and deliveries that carry a token.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
} from 'node:crypto'
import { bodyOf, deliveryOf, ENDPOINT, flat, now } from './workload.mjs'

export const ALGORITHMS = ['RS256', 'ES256', 'EdDSA']
const KINDS = {
  RS256: ['rsa', { modulusLength: 2048 }],
  ES256: ['ec', { namedCurve: 'P-256' }],
  EdDSA: ['ed25519', {}],
}

const base64url = (value) => Buffer.from(value).toString('base64url')

/** Through bytes, because Node 20 can hang when it exports a key during garbage collection of its generation. */
export function newKey(algorithm) {
  const [kind, options] = KINDS[algorithm]
  const { privateKey: der } = generateKeyPairSync(kind, {
    ...options,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  })
  return keyOf(`${algorithm} ${base64url(der)}`)
}

/** Serialises a key for another process. */
export function keyOf(serialized) {
  const [algorithm, der] = serialized.split(' ')
  const privateKey = createPrivateKey({ key: Buffer.from(der, 'base64url'), format: 'der', type: 'pkcs8' })
  const keyObject = createPublicKey(privateKey)
  return {
    serialized,
    algorithm,
    privateKey,
    keyObject,
    pem: keyObject.export({ format: 'pem', type: 'spki' }),
    headerSegment: base64url(JSON.stringify({ alg: algorithm, kid: 'k1' })),
    jwks: { keys: [{ ...keyObject.export({ format: 'jwk' }), kid: 'k1', alg: algorithm }] },
  }
}

function signature({ algorithm, privateKey }, text) {
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' }
  return sign(algorithm === 'EdDSA' ? null : 'sha256', Buffer.from(text), key)
}

/** A delivery with its own token. A new `jti` each time defeats caches of tokens. */
export function tokenDelivery(key, serial, { size = 1024, headerSegment = key.headerSegment } = {}) {
  const body = bodyOf(size, serial)
  const eventId = flat(randomUUID())
  const time = now()
  const claims = {
    sub: ENDPOINT.subject,
    aud: ENDPOINT.audience,
    iat: time,
    exp: time + 595,
    jti: eventId,
    htm: 'POST',
    htb_s256: createHash('sha256').update(body).digest('base64url'),
  }
  const input = `${headerSegment}.${base64url(JSON.stringify(claims))}`
  const token = flat(`${input}.${base64url(signature(key, input))}`)
  const headers = {
    'content-type': 'application/json',
    'webhook-timestamp': `${time}`,
    'webhook-event-id': eventId,
    authorization: flat(`Bearer ${token}`),
  }
  return Object.assign(deliveryOf(headers, body), { eventId, token })
}

/** The same delivery with another one's signature: well formed but wrong. */
export function withSignatureOf(delivery, other) {
  const token = delivery.token.replace(/[^.]*$/, other.token.split('.')[2])
  const headers = { ...delivery.headers, authorization: `Bearer ${token}` }
  return Object.assign(deliveryOf(headers, delivery.body), { eventId: delivery.eventId, token })
}
