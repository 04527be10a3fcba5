import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { SenderKeys } from '../../cli/commands/conform/scheme-cases.ts'
import type { AnyScheme } from '../../cli/signing/schemes.ts'
import { hasKeyPair } from '../../src/schemes/kit/compile-scheme.ts'

/** What a receiver of a sender needs, and what signs as the sender. */
export interface Sender {
  readonly factory: AnyScheme
  readonly keys: SenderKeys
  readonly options: { readonly [option: string]: string }
  readonly privateKey?: JWK
}

/** A secret in the form that the scheme reads. */
function secretFor({ scheme }: AnyScheme): string {
  const key = scheme.algorithm === 'code' ? 'text' : scheme.key
  if (key === 'hex' || scheme.name === 'adyen') return 'a1'.repeat(32)
  if (key === 'base64') return Buffer.alloc(32, 'k').toString('base64')
  if (scheme.secretPrefix !== undefined) return scheme.secretPrefix + Buffer.alloc(32, 'k').toString('base64')
  if (typeof key === 'object') return key.base64After + Buffer.alloc(32, 'k').toString('base64')
  if (scheme.name === 'surveymonkey') return 'client_id&a-secret-of-this-test'
  return scheme.secretName.startsWith('user:password')
    ? 'user:a-password-of-this-test'
    : 'a secret of this test'
}

/** A sender with new keys, whose endpoint is `publicUrl`. */
export async function senderOf(factory: AnyScheme, publicUrl: string): Promise<Sender> {
  const { scheme } = factory
  const takesUrl = `${scheme.signs}`.includes('url') || Object(scheme).takes?.includes('publicUrl')
  const url = takesUrl || scheme.name === 'rfc9421' ? { publicUrl } : {}
  if (hasKeyPair(factory.scheme)) {
    const isEd25519 = scheme.algorithm === 'ed25519'
    const isRsa = scheme.algorithm === 'rsa-v1_5-sha256'
    const kind = isEd25519 ? 'Ed25519' : isRsa ? 'RS256' : 'ES256'
    const pair = await generateKeyPair(kind, { extractable: true })
    const raw = Buffer.from(await crypto.subtle.exportKey(isEd25519 ? 'raw' : 'spki', pair.publicKey))
    const privateKey = {
      ...(await exportJWK(pair.privateKey)),
      alg: isEd25519 ? 'EdDSA' : kind,
      kid: 'k1',
    }
    const encoding = scheme.algorithm !== 'code' && scheme.key === 'hex' ? 'hex' : 'base64'
    const options = { publicKeys: raw.toString(encoding), ...url }
    return { factory, privateKey, options, keys: { privateKey, publicUrl } }
  }
  const secret = secretFor(factory)
  const named = scheme.algorithm === 'code' ? scheme.keyIdOption : undefined
  const keyId = named && { keyId: 'public' }
  const options = { secrets: secret, ...url, ...(named && { [named]: 'public' }) }
  return { factory, options, keys: { secret, ...keyId, publicUrl } }
}
