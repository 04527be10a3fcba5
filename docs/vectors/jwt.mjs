// Deliveries with a token, and what is wrong with them.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { AUDIENCE, BODY, EVENT_ID, given, mac, NOW, no, SUBJECT, vector, YES } from './given.mjs'

const TOKEN = no(401, 'token_invalid')

const base64url = (bytes) => Buffer.from(bytes).toString('base64url')

/** By way of bytes: Node 20 can lock up when it exports a key whose generation is just being collected. */
function newKey(kid, type, options) {
  const { privateKey: der } = generateKeyPairSync(type, {
    ...options,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  })
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return { kid, privateKey, publicKey: createPublicKey(privateKey) }
}

const KEYS = {
  RS256: newKey('rsa-1', 'rsa', { modulusLength: 2048 }),
  ES256: newKey('ec-1', 'ec', { namedCurve: 'P-256' }),
  EdDSA: newKey('ed-1', 'ed25519', {}),
}

export const JWT_LISTENER = {
  subject: SUBJECT,
  audience: AUDIENCE,
  jwks: {
    keys: Object.entries(KEYS).map(([alg, { kid, publicKey }]) => ({
      ...publicKey.export({ format: 'jwk' }),
      kid,
      alg,
    })),
  },
}

function segment(value) {
  return base64url(typeof value === 'string' ? value : JSON.stringify(value))
}

function token(header, claims, algorithm, dsaEncoding = 'ieee-p1363') {
  const input = `${segment(header)}.${segment(claims)}`
  const key = { key: KEYS[algorithm].privateKey, dsaEncoding }
  return `${input}.${base64url(sign(algorithm === 'EdDSA' ? null : 'sha256', Buffer.from(input), key))}`
}

/** A delivery with a token, whose header and claims `change` replaces; `undefined` leaves one out. */
function jwt(
  name,
  answer,
  { algorithm = 'ES256', header, claims, compact = token, scheme = 'Bearer ', ...change } = {},
) {
  const sent = given(change)
  const protectedHeader = { alg: algorithm, kid: KEYS[algorithm].kid, typ: 'JWT', ...header }
  const all = {
    sub: SUBJECT,
    aud: AUDIENCE,
    exp: NOW + 300,
    jti: sent.id,
    htm: 'POST',
    htb_s256: createHash('sha256').update(sent.bytes).digest('base64url'),
    ...claims,
  }
  const authorization = scheme + compact(protectedHeader, all, algorithm)
  return vector('jwt', name, { ...sent, headers: { authorization, ...sent.headers } }, answer)
}

/** Written by hand, because JSON.stringify cannot write it. */
const withText = (from, to) => (header, claims, algorithm) =>
  token(header, JSON.stringify(claims).replace(from, to), algorithm)

export const JWT = [
  jwt('RS256', YES, { algorithm: 'RS256' }),
  jwt('ES256', YES),
  jwt('EdDSA', YES, { algorithm: 'EdDSA' }),
  jwt('an audience in an array of one', YES, { claims: { aud: [AUDIENCE] } }),
  jwt('claims of its own beside the six', YES, { claims: { iss: 'https://sender.example', iat: NOW } }),
  jwt('an expiry with a fraction', YES, { claims: { exp: NOW + 300.5 } }),
  jwt('valid for 600 s', YES, { claims: { exp: NOW + 600 } }),
  jwt('valid for 601 s', TOKEN, { claims: { exp: NOW + 601 } }),
  jwt('valid for one second more', YES, { claims: { exp: NOW + 1 } }),
  jwt('expired now', no(401, 'token_expired'), { claims: { exp: NOW } }),
  jwt('without expiry', TOKEN, { claims: { exp: undefined } }),
  jwt('an expiry that no number holds', TOKEN, { compact: withText(/"exp":\d+/, '"exp":1e400') }),
  jwt('not valid yet', TOKEN, { claims: { nbf: NOW + 1 } }),
  jwt('for another tenant', TOKEN, { claims: { sub: 'https://other.example' } }),
  jwt('a subject with a slash behind it', TOKEN, { claims: { sub: `${SUBJECT}/` } }),
  jwt('for another endpoint', TOKEN, { claims: { aud: `${AUDIENCE}-2` } }),
  jwt('for two endpoints', TOKEN, { claims: { aud: [AUDIENCE, 'https://other.example'] } }),
  jwt('for another event', TOKEN, { claims: { jti: EVENT_ID } }),
  jwt('for GET', TOKEN, { claims: { htm: 'GET' } }),
  jwt('for post in lower case', TOKEN, { claims: { htm: 'post' } }),
  jwt('for another body', TOKEN, {
    claims: { htb_s256: createHash('sha256').update('{}').digest('base64url') },
  }),
  jwt("the body's hash in hexadecimal", TOKEN, {
    claims: { htb_s256: createHash('sha256').update(BODY).digest('hex') },
  }),
  jwt("without the body's hash", TOKEN, { claims: { htb_s256: undefined } }),
  jwt('a claim that comes twice', TOKEN, { compact: withText('"htm":"POST"', '"htm":"GET","htm":"POST"') }),
  jwt('without a kid', TOKEN, { header: { kid: undefined } }),
  jwt('a kid that nobody knows', TOKEN, { header: { kid: 'ec-2' } }),
  jwt("another algorithm's kid", TOKEN, { header: { kid: 'rsa-1' } }),
  jwt('a key set of its own in the header, which nobody fetches', YES, {
    header: { jku: 'https://sender.example/other.json' },
  }),
  jwt('a critical extension', TOKEN, { header: { crit: ['exp'] } }),
  jwt('no algorithm', TOKEN, {
    header: { alg: 'none' },
    compact: (header, claims) => `${segment(header)}.${segment(claims)}.`,
  }),
  jwt('HS256 with the public key for a secret', TOKEN, {
    header: { alg: 'HS256', kid: 'rsa-1' },
    compact: (header, claims) => {
      const input = `${segment(header)}.${segment(claims)}`
      return `${input}.${mac(KEYS.RS256.publicKey.export({ type: 'spki', format: 'pem' }), '', input)}`
    },
  }),
  jwt('the signature of another token', TOKEN, {
    compact: (header, claims, algorithm) =>
      token(header, claims, algorithm).replace(
        /[^.]*$/,
        token(header, { ...claims, a: 1 }, algorithm).split('.')[2],
      ),
  }),
  jwt('an ES256 signature in DER', TOKEN, {
    compact: (header, claims, algorithm) => token(header, claims, algorithm, 'der'),
  }),
  jwt('a signature with padding', TOKEN, { compact: (...parts) => `${token(...parts)}==` }),
  jwt('four segments', TOKEN, { compact: (...parts) => `${token(...parts)}.` }),
  jwt('another scheme', TOKEN, { scheme: 'JWT ' }),
  jwt('no token', no(401, 'auth_missing'), { headers: { authorization: undefined } }),
]
