import { type Curve, curveOf, rsaSpkiProblem, toSpki } from '../../crypto/public-keys.ts'
import { decodeBase64 } from '../../lib/bytes.ts'
import { withoutArmour } from './keys.ts'
import type { KeyParameters } from './public-keys.ts'

/** The asymmetric algorithms of RFC 9421 3.3, as values of the parameter `alg`. */
export type PublicKeyAlgorithm =
  | 'ed25519'
  | 'ecdsa-p256-sha256'
  | 'ecdsa-p384-sha384'
  | 'rsa-pss-sha512'
  | 'rsa-v1_5-sha256'

/** A key that is safe to use, with its algorithms. */
export interface ReadKey {
  /** SubjectPublicKeyInfo. */
  readonly spki: Uint8Array<ArrayBuffer>
  readonly algorithms: readonly PublicKeyAlgorithm[]
}

const CURVES: Readonly<Record<Curve, PublicKeyAlgorithm>> = {
  Ed25519: 'ed25519',
  'P-256': 'ecdsa-p256-sha256',
  'P-384': 'ecdsa-p384-sha384',
}

/** Reads PEM, the base64 of a SubjectPublicKeyInfo, or the base64 of an Ed25519 key. Returns a problem as a string. */
export function readPublicKey(text: string): ReadKey | string {
  const bytes = decodeBase64(withoutArmour(text))
  if (bytes === undefined) return 'is neither PEM nor base64'
  const spki = toSpki(bytes)
  const curve = curveOf(spki)
  if (typeof curve === 'string') return { spki, algorithms: [CURVES[curve]] }
  const problem = curve?.problem ?? rsaSpkiProblem(spki)
  return problem ? `cannot be used: ${problem}` : { spki, algorithms: ['rsa-pss-sha512', 'rsa-v1_5-sha256'] }
}

type Parameters = Readonly<
  Record<PublicKeyAlgorithm, { readonly key: KeyParameters; readonly signature: SignatureParameters }>
>
interface SignatureParameters {
  readonly name: string
  readonly hash?: string
  readonly saltLength?: number
}

const PARAMETERS: Parameters = {
  ed25519: { key: { name: 'Ed25519' }, signature: { name: 'Ed25519' } },
  'ecdsa-p256-sha256': {
    key: { name: 'ECDSA', namedCurve: 'P-256' },
    signature: { name: 'ECDSA', hash: 'SHA-256' },
  },
  'ecdsa-p384-sha384': {
    key: { name: 'ECDSA', namedCurve: 'P-384' },
    signature: { name: 'ECDSA', hash: 'SHA-384' },
  },
  'rsa-pss-sha512': {
    key: { name: 'RSA-PSS', hash: 'SHA-512' },
    signature: { name: 'RSA-PSS', saltLength: 64 },
  },
  'rsa-v1_5-sha256': {
    key: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    signature: { name: 'RSASSA-PKCS1-v1_5' },
  },
}

/** Verifies signatures of one algorithm. Imports the key once. */
export function verifierOf(
  spki: Uint8Array<ArrayBuffer>,
  algorithm: PublicKeyAlgorithm,
): (message: Uint8Array<ArrayBuffer>, signature: Uint8Array<ArrayBuffer>) => Promise<boolean> {
  const parameters = PARAMETERS[algorithm]
  const importKey = () => crypto.subtle.importKey('spki', spki, parameters.key, false, ['verify'])
  // Caches the key, not its promise: workerd forbids awaiting another request's I/O.
  let imported: Awaited<ReturnType<typeof importKey>> | undefined
  return async (message, signature) => {
    imported ??= await importKey()
    return await crypto.subtle.verify(parameters.signature, imported, signature, message)
  }
}
