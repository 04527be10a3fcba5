import type { JWK } from 'jose'
import { decodeBase64url } from '#crypto'
import type { JwtAlgorithm } from '../crypto/algorithms.ts'
import { encodeHex } from '../lib/bytes.ts'
import { hasRocaFingerprint, isSmallOrderEd25519 } from '../lib/weak-keys.ts'

/** A JWKS key with a usable `kid`. A key with a `problem` is kept only so that the log can name it. */
export interface PublicKey {
  readonly keyId: string
  readonly algorithm: JwtAlgorithm
  /** Only the public members. */
  readonly jwk: JWK
  readonly problem: string | undefined
}

const PRIVATE_MEMBERS = 'd p q dp dq qi oth k priv'
const SMALLEST_RSA_BITS = 2048
const LARGEST_RSA_BITS = 8192
const LARGEST_RSA_EXPONENT_BYTES = 4

type Members = { readonly [member: string]: unknown }

/** The algorithm that a key is for. Its own type and curve decide this, never a token's header. */
const KINDS: readonly {
  readonly algorithm: JwtAlgorithm
  /** Another name that a key's `alg` may give the algorithm. */
  readonly alias?: string
  readonly type: { readonly kty: string; readonly crv?: string }
  readonly numbers: readonly string[]
  readonly problem: (...bytes: [Uint8Array, Uint8Array]) => string | false
}[] = [
  { algorithm: 'RS256', type: { kty: 'RSA' }, numbers: ['n', 'e'], problem: rsaProblem },
  { algorithm: 'ES256', type: { kty: 'EC', crv: 'P-256' }, numbers: ['x', 'y'], problem: coordinatesProblem },
  {
    algorithm: 'EdDSA',
    alias: 'Ed25519', // RFC 9864 gave EdDSA its new name
    type: { kty: 'OKP', crv: 'Ed25519' },
    numbers: ['x'],
    problem: ed25519Problem,
  },
]

/** Undefined for an entry that no token could refer to: not an object, no `kid`, or another type or curve. */
export function readPublicKey(entry: unknown): PublicKey | undefined {
  const jwk: Members = Object(entry)
  const keyId = jwk.kid
  const kind = KINDS.find(({ type }) =>
    Object.entries(type).every(([member, value]) => jwk[member] === value),
  )
  if (typeof keyId !== 'string' || keyId === '' || kind === undefined) return undefined
  const { algorithm, alias, type, numbers } = kind
  const { alg = algorithm } = jwk
  const bytes = numbers.flatMap((member) => decodeMember(jwk[member]))
  const problem =
    useProblem(jwk) ||
    (alg !== algorithm && alg !== alias && 'its alg is another one') ||
    (bytes.length < numbers.length && `its ${numbers.join(', ')} are not base64url`) ||
    kind.problem(...(bytes as [Uint8Array, Uint8Array])) || // as many as its function takes
    undefined
  const members = numbers.map((member) => [member, jwk[member]])
  return { keyId, algorithm, jwk: { ...type, ...Object.fromEntries(members) }, problem }
}

function decodeMember(value: unknown): Uint8Array | [] {
  return (typeof value === 'string' && decodeBase64url(value)) || []
}

function useProblem(jwk: Members): string | false {
  if (PRIVATE_MEMBERS.split(' ').some((member) => member in jwk)) return 'it is a private key'
  const { use = 'sig', key_ops: operations = ['verify'] } = jwk
  if (use !== 'sig') return 'its use is not sig'
  if (!Array.isArray(operations) || !operations.includes('verify')) return 'its key_ops lack verify'
  return new Set(operations).size < operations.length && 'its key_ops repeat'
}

/** Why an RSA key may not be used, if so. Leading zeros do not count. */
export function rsaProblem(modulus: Uint8Array, exponent: Uint8Array): string | false {
  const n = toBigInt(modulus)
  const e = toBigInt(exponent)
  const bits = n.toString(2).length
  if (bits < SMALLEST_RSA_BITS || bits > LARGEST_RSA_BITS)
    return `its modulus has ${bits} bits, not ${SMALLEST_RSA_BITS} to ${LARGEST_RSA_BITS}`
  if (e < 3n || e % 2n === 0n || exponent.length > LARGEST_RSA_EXPONENT_BYTES)
    return 'its exponent is not safe'
  return hasRocaFingerprint(n) && 'its modulus is not safe (ROCA)'
}

function coordinatesProblem(...coordinates: readonly Uint8Array[]): string | false {
  return coordinates.some(({ length }) => length !== 32) && 'its coordinates are not 32 bytes each'
}

function ed25519Problem(x: Uint8Array): string | false {
  return coordinatesProblem(x) || (isSmallOrderEd25519(toBigInt(x.toReversed())) && 'its point is not safe')
}

function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x0${encodeHex(bytes)}`)
}
