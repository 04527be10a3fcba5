import { rsaKeyProblem } from '../../auth/certificate.ts'
import { decodeBase64, decodeHex, encodeHex } from '../../lib/bytes.ts'
import { readDer } from '../../lib/der.ts'
import { ed25519Problem, p256Point } from './public-keys.ts'

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

const ARMOUR = /-----(?:BEGIN|END) PUBLIC KEY-----|[\r\n]/g
/** The bytes before the key in a SubjectPublicKeyInfo (RFC 8410 4, RFC 5480 2). */
const ED25519_HEADER = '302a300506032b6570032100'
const P384_HEADER = '3076301006072a8648ce3d020106052b8104002203620004'
const P384_BYTES = 120

/** Reads PEM, the base64 of a SubjectPublicKeyInfo, or the base64 of an Ed25519 key. Returns a problem as a string. */
export function readPublicKey(text: string): ReadKey | string {
  const bytes = decodeBase64(text.replace(ARMOUR, ''))
  if (bytes === undefined) return 'is neither PEM nor base64'
  const hex = (bytes.length === 32 ? ED25519_HEADER : '') + encodeHex(bytes)
  const spki = decodeHex(hex) ?? bytes
  if (hex.startsWith(ED25519_HEADER)) {
    return ed25519Problem(spki.slice(ED25519_HEADER.length / 2)) ?? { spki, algorithms: ['ed25519'] }
  }
  if (p256Point(spki)) return { spki, algorithms: ['ecdsa-p256-sha256'] }
  if (hex.startsWith(P384_HEADER) && spki.length === P384_BYTES) {
    return { spki, algorithms: ['ecdsa-p384-sha384'] }
  }
  const [key, more] = readDer(spki) ?? []
  const problem = key === undefined || more ? 'it is malformed' : rsaKeyProblem(key)
  if (problem) return `cannot be used: ${problem}`
  return { spki, algorithms: ['rsa-pss-sha512', 'rsa-v1_5-sha256'] }
}

type Parameters = Readonly<
  Record<PublicKeyAlgorithm, { readonly key: KeyParameters; readonly signature: SignatureParameters }>
>
interface KeyParameters {
  readonly name: string
  readonly namedCurve?: string
  readonly hash?: string
}
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
