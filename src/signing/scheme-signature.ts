import { importJWK, type JWK } from 'jose'
import { hmacWith } from '#crypto'
import type { HmacHash } from '../crypto/mac.ts'
import { ListenerConfigError } from '../errors.ts'
import { encodeBase64 } from '../lib/base64.ts'
import { encodeBase64url } from '../lib/base64url.ts'
import { bytesOf } from '../lib/bytes.ts'
import { encodeHex } from '../lib/hex.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { keyBytes } from '../scheme/key-bytes.ts'
import type { Algorithm, Scheme, Spelling } from '../scheme/scheme.ts'
import type { Signed } from '../scheme/signed-text.ts'
import type { SignAsOptions } from './sign-as-options.ts'

const ENCODE = { hex: encodeHex, base64: encodeBase64, base64url: encodeBase64url } as const
const HASH: Partial<Record<Algorithm, HmacHash>> = {
  'hmac-sha256': 'sha256',
  'hmac-sha1': 'sha1',
  'hmac-sha512': 'sha512',
}

/**
 * Computes the signature as its header contains it, prefix included. @throws ListenerConfigError for another
 * kind of key.
 */
export async function signatureOf(
  scheme: Scheme,
  signed: Signed,
  { secret, privateKey }: SignAsOptions,
): Promise<string> {
  const { algorithm, signature, publicKey, name } = scheme
  const { prefix = '', spelling = 'hex' } = signature
  if (algorithm === 'token') return prefix + required(secret, 'secret', name)
  const hash = HASH[algorithm]
  if (hash !== undefined && !(publicKey && privateKey)) {
    return prefix + (await macOf(scheme, hash, signed, required(secret, 'secret', name), spelling))
  }
  const bytes = await signWith(required(privateKey, 'privateKey', name), signed)
  return (
    (publicKey?.prefix ?? prefix) + ENCODE[spelling](algorithm === 'ecdsa-p256-sha256' ? derOf(bytes) : bytes)
  )
}

function required<Value>(value: Value | undefined, option: string, name: string): Value {
  if (value === undefined) throw new ListenerConfigError(option, `is needed to sign as ${name}`)
  return value
}

function macOf(
  { key }: Scheme,
  hash: HmacHash,
  { before, body, after }: Signed,
  secret: string,
  spelling: Spelling,
): MaybePromise<string> {
  const bytes = keyBytes(key, secret)
  if (typeof bytes === 'string') throw new ListenerConfigError('secret', bytes)
  return hmacWith(hash, bytes, spelling)(before, body, after)
}

async function signWith(privateKey: JWK, { before, body, after }: Signed): Promise<Uint8Array> {
  const algorithm = privateKey.kty === 'OKP' ? 'EdDSA' : 'ES256'
  const key = await importJWK(privateKey, algorithm)
  if (key instanceof Uint8Array) throw new ListenerConfigError('privateKey', 'must be a private JWK')
  const parameters = algorithm === 'EdDSA' ? { name: 'Ed25519' } : { name: 'ECDSA', hash: 'SHA-256' }
  return new Uint8Array(await crypto.subtle.sign(parameters, key, bytesOf(before, body, after)))
}

/** r and s as an Ecdsa-Sig-Value (RFC 3279 2.2.3), each number in its shortest form. */
function derOf(signature: Uint8Array): Uint8Array {
  const numbers = [signature.subarray(0, 32), signature.subarray(32)].flatMap((half) => {
    const digits = half.subarray(half.findIndex((byte, index) => byte !== 0 || index === 31))
    const positive = (digits[0] ?? 0) >= 0x80 ? [0, ...digits] : [...digits]
    return [0x02, positive.length, ...positive]
  })
  return Uint8Array.of(0x30, numbers.length, ...numbers)
}
