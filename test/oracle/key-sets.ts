import type { Jwk } from './lines.ts'
import { ODD_TEXTS } from './odd-texts.ts'
import type { Random } from './random.ts'
import { QUICK_KEYS, SIGNING_KEYS, type SigningKey } from './signing-keys.ts'
import { SMALL_ORDER, weakKey } from './weak-keys.ts'

/** A key set, and the key and the key ID that its sender uses. */
export interface KeySetDraft {
  readonly keys: readonly Jwk[]
  readonly signingKey: SigningKey
  readonly keyId: string
}

const LONG_IDS = ['x'.repeat(256), 'x'.repeat(257), '😀'.repeat(128), '😀'.repeat(129)]
const KEY_IDS = [...LONG_IDS, '\ud800', ...ODD_TEXTS.keyIds]

const without = (jwk: Jwk, name: string): Jwk =>
  Object.fromEntries(Object.entries(jwk).filter(([member]) => member !== name))

type JwkChange = (jwk: Jwk, random: Random, key: SigningKey) => Jwk

const CHANGES: readonly JwkChange[] = [
  (jwk) => without(jwk, 'alg'),
  (jwk, random) => ({
    ...jwk,
    alg: random.pick(['RS256', 'ES256', 'EdDSA', 'Ed25519', 'RS512', 'HS256', '', null, 1]),
  }),
  (jwk, random) => ({ ...jwk, use: random.pick(['sig', 'enc', 'SIG', '', null, 1, ['sig']]) }),
  (jwk, random) => ({
    ...jwk,
    key_ops: random.pick([
      ['verify'],
      ['sign'],
      ['sign', 'verify'],
      [],
      ['verify', 'verify'],
      'verify',
      null,
      [1],
      {},
    ]),
  }),
  (jwk, random) => ({
    ...jwk,
    use: 'sig',
    key_ops: random.pick([['verify'], ['verify', 'verify'], ['encrypt'], ['verify', 'encrypt']]),
  }),
  (jwk) => without(jwk, 'kid'),
  (jwk, random) => ({ ...jwk, kid: random.pick([1, null, '', ['key-1'], {}]) }),
  (jwk, random) => ({ ...jwk, kty: random.pick(['RSA', 'EC', 'OKP', 'oct', 'rsa', '', null]) }),
  (jwk, random) => ({
    ...jwk,
    crv: random.pick(['P-256', 'P-384', 'Ed25519', 'Ed448', 'X25519', 'p-256', null]),
  }),
  (_, __, key) => key.privateJwk,
  (jwk, random) => ({ ...jwk, d: random.pick(['', 'AA', null]) }),
  (jwk) => ({ ...jwk, k: 'c2VjcmV0' }),
  (jwk, random) => ({
    ...jwk,
    e: random.pick(['AQ', 'Ag', 'AA', 'AQAA', 'AAEAAQ', 'AQAB=', '', 'AQAB', 65_537]),
  }),
  (jwk, random) => respell(jwk, random.pick(['x', 'y', 'n']), random),
  (jwk, random) => ({ ...jwk, x: random.pick(SMALL_ORDER) }),
  (jwk, random) => ({ ...jwk, x: random.bytes(32).toString('base64url') }),
  (jwk) => ({ ...jwk, x5c: ['MIIB'], x5t: 'x', ext: true, nbf: 0 }),
]

function respell(jwk: Jwk, name: string, random: Random): Jwk {
  const value = jwk[name]
  if (typeof value !== 'string') return jwk
  const bytes = Buffer.from(value, 'base64url')
  const zero = Buffer.of(0)
  const spelling = random.pick([
    ...[
      `${value}=`,
      ` ${value}`,
      `${value}\n`,
      value.slice(0, -1),
      `${value}A`,
      bytes.toString('base64'),
      '',
    ],
    ...[Buffer.concat([zero, bytes]), Buffer.concat([bytes, zero]), bytes.subarray(1)].map((changed) =>
      changed.toString('base64url'),
    ),
  ])
  return { ...jwk, [name]: spelling }
}

export function someKeySet(random: Random): KeySetDraft {
  const strongKey = random.pick(random.chance(0.25) ? SIGNING_KEYS : QUICK_KEYS)
  const signingKey = random.chance(0.04) ? weakKey(random) : strongKey
  const keyId = random.chance(0.75) ? 'key-1' : random.pick(KEY_IDS)
  const changed = random.chance(0.4) ? random.pick(CHANGES) : (jwk: Jwk) => jwk
  const keys = [changed({ ...signingKey.publicJwk, kid: keyId }, random, signingKey)]
  for (const other of SIGNING_KEYS) {
    if (random.chance(0.25)) keys.push(other.publicJwk)
  }
  if (random.chance(0.1)) keys.push(rival(keyId, random))
  return { keys: random.chance(0.5) ? keys : keys.toReversed(), signingKey, keyId }
}

/** Another key with the same ID. */
function rival(keyId: string, random: Random): Jwk {
  const key = random.pick(SIGNING_KEYS)
  const jwk = { ...key.publicJwk, kid: keyId }
  return random.chance(0.5) ? jwk : random.pick(CHANGES)(jwk, random, key)
}
