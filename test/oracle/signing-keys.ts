import type { JsonWebKey } from 'node:crypto'
import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import type { Jwk } from './lines.ts'
import KEYS from './vectors/keys.json' with { type: 'json' }

export interface SigningKey {
  readonly algorithm: string
  readonly publicJwk: Jwk
  readonly privateJwk: Jwk
  sign(text: string, hash?: string): Buffer
}

/**
 * Keys made for these tests, and stored so that a seed repeats a batch. Only ES256 signatures differ from run to run.
 */
export const SIGNING_KEYS: readonly SigningKey[] = KEYS.map((jwk) => {
  const keyObject = createPrivateKey({ key: jwk satisfies JsonWebKey, format: 'jwk' })
  const { kid, alg, kty } = jwk
  const { n, e, crv, x, y }: JsonWebKey = jwk
  const publicMembers = Object.entries({ kid, alg, kty, n, e, crv, x, y })
  return {
    algorithm: alg,
    privateJwk: jwk,
    publicJwk: Object.fromEntries(publicMembers.filter(([, value]) => value !== undefined)),
    sign: (text, hash = 'sha256') => signText(keyObject, alg, text, hash),
  }
})

function signText(key: KeyObject, algorithm: string, text: string, hash: string): Buffer {
  return sign(algorithm === 'EdDSA' ? null : hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
}

/** RSA signatures take most of a batch's time. */
export const QUICK_KEYS: readonly SigningKey[] = SIGNING_KEYS.filter(({ algorithm }) => algorithm !== 'RS256')
