import { verifySignature } from '#crypto'
import { fromDerSignature } from '../../crypto/der.ts'
import { curveOf, toSpki } from '../../crypto/public-keys.ts'
import { decodeBase64, decodeBase64url, decodeHex } from '../../lib/bytes.ts'
import type { PublicKeyMatcher } from './authenticate.ts'

const DECODE = { hex: decodeHex, base64: decodeBase64, base64url: decodeBase64url } as const
const LONGEST_SIGNATURE = 128

/** Ed25519 keys are 32 bytes, and P-256 keys are SubjectPublicKeyInfo. Signatures of the latter are DER. */
export const publicKeyMatcher: PublicKeyMatcher = (algorithm, key, spelling) => {
  const isEd25519 = algorithm === 'ed25519'
  if (isEd25519 && key.length !== 32) return `must encode 32 bytes, not ${key.length}`
  const spki = toSpki(key)
  const curve = curveOf(spki)
  if (!isEd25519 && curve !== 'P-256') return 'must be the SubjectPublicKeyInfo of a P-256 key'
  if (typeof curve === 'object') return `cannot be used: ${curve.problem}`
  const parameters = isEd25519 ? { name: 'Ed25519' } : { name: 'ECDSA', namedCurve: 'P-256' }
  const importKey = () => crypto.subtle.importKey('spki', spki, parameters, false, ['verify'])
  // Caches the key, not its promise: workerd forbids awaiting another request's I/O.
  let imported: Awaited<ReturnType<typeof importKey>> | undefined
  return async (signatures, signed, times) => {
    imported ??= await importKey()
    let found = false
    for (const text of signatures) {
      const given = text.length > LONGEST_SIGNATURE ? undefined : DECODE[spelling](text)
      const signature = given && !isEd25519 ? fromDerSignature(given) : given
      if (!signature) continue
      const algorithm = isEd25519 ? 'EdDSA' : 'ES256'
      const all = times * signatures.length
      found = (await verifySignature(algorithm, imported, signature, signed, all)) || found
    }
    return found
  }
}
