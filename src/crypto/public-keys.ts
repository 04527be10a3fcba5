import { decodeBase64url } from '#crypto'
import { decodeHex, encodeHex } from '../lib/bytes.ts'
import type { JwtAlgorithm } from './algorithms.ts'
import { DER_BIT_STRING, DER_SEQUENCE, derNumber, derParts, readDer } from './der.ts'

export type Curve = 'P-256' | 'P-384' | 'Ed25519'

const ED25519 = '302a300506032b6570032100'
/** What precedes the coordinates in every SubjectPublicKeyInfo of the curve (RFC 5480 2, RFC 8410 4). Points are uncompressed. */
const BEFORE_POINT: readonly (readonly [curve: Curve, before: string])[] = [
  ['P-256', '3059301306072a8648ce3d020106082a8648ce3d03010703420004'],
  ['P-384', '3076301006072a8648ce3d020106052b8104002203620004'],
  ['Ed25519', ED25519],
]

/** The curve of a SubjectPublicKeyInfo (RFC 5280 4.1.2.7), or what is wrong with its point. Undefined for all else. */
export function curveOf(spki: Uint8Array<ArrayBuffer>): Curve | { readonly problem: string } | undefined {
  const hex = encodeHex(spki)
  const isWhole = spki.length === (spki[1] ?? 0) + 2
  const [curve] = (isWhole && BEFORE_POINT.find(([, before]) => hex.startsWith(before))) || []
  const problem = curve === 'Ed25519' && ed25519Problem(spki.subarray(ED25519.length / 2))
  return problem ? { problem } : curve
}

/** Turns an Ed25519 key's 32 bytes into a SubjectPublicKeyInfo. Returns all else as it is. */
export function toSpki(key: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return key.length === 32 ? (decodeHex(ED25519 + encodeHex(key)) ?? key) : key
}

/** rsaEncryption, 1.2.840.113549.1.1.1, and its parameters, which are always NULL (RFC 3279 2.3.1). */
const RSA = '300d06092a864886f70d0101010500'

/** Why a SubjectPublicKeyInfo (RFC 3279 2.3.1) cannot be used as an RSA key. False if it can. */
export function rsaSpkiProblem(spki: Uint8Array<ArrayBuffer>): string | false {
  const [key, more] = readDer(spki) ?? []
  const [algorithm, bits, other] = derParts(key, DER_SEQUENCE)
  if (key === undefined || more || other) return 'it is malformed'
  if (algorithm === undefined || encodeHex(algorithm.whole) !== RSA) return 'it is not an RSA key'
  const unusedBits = bits?.tag === DER_BIT_STRING ? bits.content[0] : undefined
  const [numbers, trailing] = (unusedBits === 0 && bits && readDer(bits.content.slice(1))) || []
  const found = derParts(numbers, DER_SEQUENCE).map(derNumber)
  const [modulus, exponent] = found
  if (!modulus || !exponent || found.length > 2 || trailing) return 'it is malformed'
  return rsaProblem(modulus, exponent)
}

/** A key of a JWKS with a usable `kid`. A key with a `problem` is kept only so that the log can name it. */
export interface ReadJwk {
  readonly keyId: string
  readonly algorithm: JwtAlgorithm
  /** Only the public members. */
  readonly jwk: Members
  readonly problem: string | undefined
}

type Members = { readonly [member: string]: unknown }

/** The algorithm that a key is for. Its own type and curve decide this, never a token's header. */
const JWKS: readonly {
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

/** Reads a JWK (RFC 7517 4). Undefined for an entry that no token could refer to: not an object, no `kid`, or another type or curve. */
export function readJwk(entry: unknown): ReadJwk | undefined {
  const jwk: Members = Object(entry)
  const keyId = jwk.kid
  const kind = JWKS.find(({ type }) => Object.entries(type).every(([member, value]) => jwk[member] === value))
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

const PRIVATE_MEMBERS = 'd p q dp dq qi oth k priv'

function useProblem(jwk: Members): string | false {
  if (PRIVATE_MEMBERS.split(' ').some((member) => member in jwk)) return 'it is a private key'
  const { use = 'sig', key_ops: operations = ['verify'] } = jwk
  if (use !== 'sig') return 'its use is not sig'
  if (!Array.isArray(operations) || !operations.includes('verify')) return 'its key_ops lack verify'
  return new Set(operations).size < operations.length && 'its key_ops repeat'
}

const SMALLEST_RSA_BITS = 2048
const LARGEST_RSA_BITS = 8192
const LARGEST_RSA_EXPONENT_BYTES = 4

/** Leading zeros do not count. */
function rsaProblem(modulus: Uint8Array, exponent: Uint8Array): string | false {
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
  return (
    coordinatesProblem(x) ||
    (isSmallOrderEd25519(toBigInt(x.toReversed())) && 'its point is not safe: anyone can forge signatures')
  )
}

function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x0${encodeHex(bytes)}`)
}

const P = 2n ** 255n - 19n

/**
 * Whether an encoded Ed25519 point (RFC 8032 5.1.2, as a little-endian number) has small order, so that anyone can forge
 * signatures, or is not canonical (y >= p).
 *
 * Orders 1, 2 and 4 have y = 1, -1 and 0. A point of order 8, doubled, has y = 0, so that x² = -y² (RFC 8032 5.1.4), and
 * the curve -x² + y² = 1 + dx²y² with d = -121665/121666 becomes 121665y⁴ - 243332y² + 121666 = 0.
 */
export function isSmallOrderEd25519(encoded: bigint): boolean {
  const y = BigInt.asUintN(255, encoded)
  const square = y * y
  const order8 = (121665n * square - 243332n) * square + 121666n
  return y >= P || (y * (square - 1n) * order8) % P === 0n
}

const ROCA_PRIMES = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157]

/** Whether an RSA modulus has the ROCA fingerprint (CVE-2017-15361): a power of 65537 modulo small primes. */
export function hasRocaFingerprint(modulus: bigint): boolean {
  return ROCA_PRIMES.every((prime) => isPowerOf65537(Number(modulus % BigInt(prime)), prime))
}

/** The powers are cyclic: after the last comes 1. */
function isPowerOf65537(residue: number, prime: number): boolean {
  let power = 1
  do {
    if (power === residue) return true
    power = (power * 65537) % prime
  } while (power !== 1)
  return false
}
