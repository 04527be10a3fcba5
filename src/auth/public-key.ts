import type { JWK } from 'jose'
import type { JwtAlgorithm } from '../crypto/signature-keys.ts'
import { decodeBase64url } from '../lib/base64url.ts'
import { hasRocaFingerprint, isSmallOrderEd25519 } from '../lib/weak-keys.ts'

/** A key of a JWKS that carries a usable `kid`. With a `problem` it is only remembered to name it in the log. */
export interface PublicKey {
  readonly keyId: string
  readonly algorithm: JwtAlgorithm
  /** The public members and nothing else. */
  readonly jwk: JWK
  readonly problem: string | undefined
}

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']
const SMALLEST_RSA_BITS = 2048
const LARGEST_RSA_BITS = 8192
const LARGEST_RSA_EXPONENT_BYTES = 4

type Members = { readonly [member: string]: unknown }

/** What a key is for: decided by its own type and curve, never by a token's header. */
const KINDS: readonly {
  readonly algorithm: JwtAlgorithm
  /** Another name that a key's `alg` may give the algorithm. */
  readonly alias?: string
  readonly kty: string
  readonly crv?: string
  readonly members: readonly string[]
  readonly problem: (bytes: readonly Uint8Array[]) => string | undefined
}[] = [
  { algorithm: 'RS256', kty: 'RSA', members: ['n', 'e'], problem: rsaProblem },
  { algorithm: 'ES256', kty: 'EC', crv: 'P-256', members: ['x', 'y'], problem: p256Problem },
  // RFC 9864 gave EdDSA its new name.
  {
    algorithm: 'EdDSA',
    alias: 'Ed25519',
    kty: 'OKP',
    crv: 'Ed25519',
    members: ['x'],
    problem: ed25519Problem,
  },
]

/** Undefined for an entry that no token could ask for: no object, no kid, another type or curve. */
export function readPublicKey(entry: unknown): PublicKey | undefined {
  const jwk: Members = Object(entry)
  const keyId = jwk.kid
  const kind = KINDS.find(({ kty, crv = jwk.crv }) => jwk.kty === kty && jwk.crv === crv)
  if (typeof keyId !== 'string' || keyId === '' || kind === undefined) return undefined
  const { algorithm, alias, kty, crv } = kind
  const values = kind.members.map((member) => jwk[member])
  const bytes = values.flatMap((value) => (typeof value === 'string' ? (decodeBase64url(value) ?? []) : []))
  const problem =
    useProblem(jwk) ??
    ([undefined, algorithm, alias].some((name) => name === jwk.alg) ? undefined : 'its alg is another one') ??
    (bytes.length === values.length
      ? kind.problem(bytes)
      : `its ${kind.members.join(', ')} are not base64url`)
  const members = kind.members.map((member, index) => [member, values[index]])
  return {
    keyId,
    algorithm,
    jwk: { ...Object.fromEntries(members), kty, ...(crv ? { crv } : {}) },
    problem,
  }
}

function useProblem(jwk: Members): string | undefined {
  if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(jwk, member))) return 'it is a private key'
  if (jwk.use !== undefined && jwk.use !== 'sig') return 'its use is not sig'
  const operations = jwk.key_ops
  if (operations === undefined) return undefined
  if (!Array.isArray(operations) || !operations.includes('verify')) return 'its key_ops lack verify'
  return new Set(operations).size === operations.length ? undefined : 'its key_ops repeat'
}

const NOTHING = new Uint8Array()

function rsaProblem([modulus = NOTHING, exponent = NOTHING]: readonly Uint8Array[]): string | undefined {
  const n = toBigInt(modulus)
  const e = toBigInt(exponent)
  const bits = n.toString(2).length
  if (bits < SMALLEST_RSA_BITS || bits > LARGEST_RSA_BITS)
    return `its modulus has ${bits} bits, not ${SMALLEST_RSA_BITS} to ${LARGEST_RSA_BITS}`
  if (e < 3n || e % 2n === 0n || exponent.length > LARGEST_RSA_EXPONENT_BYTES)
    return 'its exponent is not safe'
  return hasRocaFingerprint(n) ? 'its modulus can be factored (CVE-2017-15361)' : undefined
}

function p256Problem(coordinates: readonly Uint8Array[]): string | undefined {
  return coordinates.every(has32Bytes) ? undefined : 'its coordinates are not 32 bytes each'
}

function ed25519Problem([point = NOTHING]: readonly Uint8Array[]): string | undefined {
  if (!has32Bytes(point)) return 'its x is not 32 bytes'
  return isSmallOrderEd25519(toBigInt(point.toReversed()))
    ? 'its point has a small order or a second spelling'
    : undefined
}

function has32Bytes(bytes: Uint8Array): boolean {
  return bytes.length === 32
}

function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x0${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`)
}
