import { verifySignature } from '#crypto'
import { hashBits, type SignatureAlgorithm } from '../../crypto/algorithms.ts'
import { fromDerSignature } from '../../crypto/der.ts'
import { curveOf, toSpki } from '../../crypto/public-keys.ts'
import { ListenerConfigError } from '../../errors.ts'
import { decodeBase64, decodeBase64url, decodeHex } from '../../lib/bytes.ts'
import type { PublicKeyAlgorithm } from '../../scheme.ts'
import type { PublicKeyMatcher } from './authenticate.ts'
import { keyBytes, withoutArmour } from './keys.ts'

const DECODE = {
  hex: decodeHex,
  'upper-case-hex': (text: string) =>
    text === text.toUpperCase() ? decodeHex(text.toLowerCase()) : undefined,
  base64: decodeBase64,
  base64url: decodeBase64url,
} as const
/** One of 8192 bits in hex. */
const LONGEST_SIGNATURE = 2048

type Kind = readonly [name: SignatureAlgorithm, parameters: KeyParameters]
export interface KeyParameters {
  readonly name: string
  readonly namedCurve?: string
  readonly hash?: string
}

/** By their names in JOSE, and what Web Crypto imports their keys with. */
export const KINDS: Readonly<Record<PublicKeyAlgorithm, Kind>> = {
  ed25519: ['EdDSA', { name: 'Ed25519' }],
  'ecdsa-p256-sha256': ['ES256', { name: 'ECDSA', namedCurve: 'P-256' }],
  'ecdsa-p384-sha384': ['ES384', { name: 'ECDSA', namedCurve: 'P-384' }],
  'rsa-v1_5-sha256': ['RS256', { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }],
  'rsa-v1_5-sha384': ['RS384', { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' }],
  'rsa-pss-sha256': ['PS256', { name: 'RSA-PSS', hash: 'SHA-256' }],
  'rsa-pss-sha384': ['PS384', { name: 'RSA-PSS', hash: 'SHA-384' }],
}

/**
 * Ed25519 keys are 32 bytes. All others are a SubjectPublicKeyInfo, in the row's encoding or as PEM. `rsaProblem` says why an RSA key is
 * not safe: without it, rows of RSA throw.
 */
export const publicKeyMatcherWith =
  (rsaProblem?: (spki: Uint8Array<ArrayBuffer>) => string | false): PublicKeyMatcher =>
  ({ algorithm, key, signature: form }, secret) => {
    const { spelling = 'hex', ecdsa } = form
    const [name, parameters] = KINDS[algorithm]
    const bytes = keyBytes(key, withoutArmour(secret))
    if (typeof bytes === 'string') return bytes
    const problem = keyProblem(name, parameters, bytes, rsaProblem)
    if (problem) return problem
    const importKey = () =>
      crypto.subtle.importKey('spki', toSpki(bytes), parameters, false, ['verify']).catch(() => {
        throw new ListenerConfigError('publicKeys', 'cannot be imported: a character of the key is wrong')
      })
    const isDer = name.startsWith('ES') && ecdsa === undefined
    // Caches the key, not its promise: workerd forbids awaiting another request's I/O.
    let imported: Awaited<ReturnType<typeof importKey>> | undefined
    return async (signatures, signed, times) => {
      imported ??= await importKey()
      let found = false
      for (const text of signatures) {
        const given = text.length > LONGEST_SIGNATURE ? undefined : DECODE[spelling](text)
        const signature = given && isDer ? fromDerSignature(given, hashBits(name) / 8) : given
        if (!signature) continue
        const all = times * signatures.length
        found = (await verifySignature(name, imported, signature, signed, all)) || found
      }
      return found
    }
  }

/** For rows of Ed25519 and ECDSA. */
export const publicKeyMatcher: PublicKeyMatcher = /* @__PURE__ */ publicKeyMatcherWith()

/** Why a key is not used: it is of another kind, or anyone could forge its signatures. */
function keyProblem(
  name: SignatureAlgorithm,
  { namedCurve }: KeyParameters,
  key: Uint8Array<ArrayBuffer>,
  rsaProblem: ((spki: Uint8Array<ArrayBuffer>) => string | false) | undefined,
): string | false {
  if (name === 'EdDSA' && key.length !== 32) return `must encode 32 bytes, not ${key.length}`
  const curve = curveOf(toSpki(key))
  if (typeof curve === 'object') return `cannot be used: ${curve.problem}`
  if (name === 'EdDSA') return false
  if (namedCurve) return curve !== namedCurve && `must be the SubjectPublicKeyInfo of a ${namedCurve} key`
  if (rsaProblem === undefined) return 'needs rsaKeyMatcher, as an argument of schemeOf'
  const problem = rsaProblem(key)
  return problem && `must be the SubjectPublicKeyInfo of an RSA key that is safe to use: ${problem}`
}
