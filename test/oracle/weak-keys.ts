import { createHash } from 'node:crypto'
import type { Random } from './random.ts'
import { SIGNING_KEYS, type SigningKey } from './signing-keys.ts'

/** Points of small order on Ed25519. The last two have order 8. */
export const SMALL_ORDER: readonly string[] = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000080',
  '0000000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map((hex) => Buffer.from(hex, 'hex').toString('base64url'))

/** A key that anyone can sign for: with a point of small order, or an exponent of 1. */
export function weakKey(random: Random): SigningKey {
  const algorithm = random.pick(['EdDSA', 'EdDSA', 'RS256'])
  const key = SIGNING_KEYS.find((known) => known.algorithm === algorithm)
  if (key === undefined) throw new Error(`no ${algorithm} key`)
  return algorithm === 'EdDSA'
    ? { ...key, publicJwk: { ...key.publicJwk, x: random.pick(SMALL_ORDER) }, sign: () => IDENTITY }
    : { ...key, publicJwk: { ...key.publicJwk, e: 'AQ' }, sign: padded }
}

/** R is the identity, and S is 0. */
const IDENTITY = Buffer.concat([Buffer.of(1), Buffer.alloc(63)])

const SHA256_PREFIX = Buffer.from('3031300d060960864801650304020105000420', 'hex')

/** The padded text of RS256 with 2048 bits (RFC 8017 9.2). With an exponent of 1, it is its own signature. */
function padded(text: string): Buffer {
  const digest = Buffer.concat([SHA256_PREFIX, createHash('sha256').update(text).digest()])
  return Buffer.concat([Buffer.of(0, 1), Buffer.alloc(256 - 3 - digest.length, 255), Buffer.of(0), digest])
}
