import { generateSecret } from 'hookgate'
import type { Scheme, SenderScheme } from 'hookgate/schemes'

const SECRET_BYTES = 32
const P256 = { name: 'ECDSA', namedCurve: 'P-256' }

/** A throwaway key pair: the sender's private key and the receiver's public one. */
export interface KeyPair {
  readonly privateJwk: string
  readonly publicKey: string
}

/** A random secret, written as the scheme writes its secrets. Without a scheme: hookgate's own. */
export function newSecret(scheme: SenderScheme | undefined): string {
  const form = formOf(scheme)
  if (form === 'text') return generateSecret()
  return written(form, crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}

/** For a scheme that signs with a private key. Without a scheme: for `jwt()`, whose public key is a JWKS. */
export async function newKeyPair(scheme: SenderScheme | undefined): Promise<KeyPair> {
  const isEd25519 = scheme?.algorithm === 'ed25519'
  const { privateKey, publicKey } = await generate(isEd25519 ? { name: 'Ed25519' } : P256)
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', privateKey)
  const jwk = { kty, crv, x, y, alg: isEd25519 ? 'EdDSA' : 'ES256', kid: 'playground' }
  const privateJwk = JSON.stringify({ ...jwk, d })
  if (scheme === undefined) return { privateJwk, publicKey: JSON.stringify({ keys: [jwk] }) }
  const bytes = await crypto.subtle.exportKey(isEd25519 ? 'raw' : 'spki', publicKey)
  return { privateJwk, publicKey: written(formOf(scheme), new Uint8Array(bytes)) }
}

async function generate(algorithm: { readonly name: string }): Promise<CryptoKeyPair> {
  const made = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  if ('privateKey' in made) return made
  throw new TypeError(`${algorithm.name} has no pairs`)
}

function formOf(scheme: SenderScheme | undefined): Scheme['key'] {
  return scheme !== undefined && 'key' in scheme ? scheme.key : 'text'
}

function written(form: Scheme['key'], bytes: Uint8Array): string {
  if (form === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const base64 = btoa(String.fromCharCode(...bytes))
  return typeof form === 'object' ? form.base64After + base64 : base64
}
