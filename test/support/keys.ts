import { type KeyObject, sign } from 'node:crypto'
import type { JWK } from 'jose'
import { newPrivateKey } from '../../cli/signing/private-key.ts'
import type { JwtAlgorithm } from '../../src/crypto/algorithms.ts'

/** A sender's key pair, as JWKs for key sets and as a signing function for tokens made by hand. */
export interface SigningKey {
  readonly keyId: string
  readonly algorithm: JwtAlgorithm
  readonly keyObject: KeyObject
  readonly privateKey: JWK
  readonly publicKey: JWK
  sign(text: string): Buffer
}

/** Makes a key. An RSA key takes 0.1 s, so make one per file, not per test. */
export function newKey(algorithm: JwtAlgorithm, keyId = `key-${algorithm}`): SigningKey {
  return signingKey(newPrivateKey(algorithm), algorithm, keyId)
}

/** Wraps a test's own private key. */
export function signingKey(keyObject: KeyObject, algorithm: JwtAlgorithm, keyId: string): SigningKey {
  const jwk = keyObject.export({ format: 'jwk' })
  const named = { kid: keyId, alg: algorithm }
  const der = keyObject.export({ format: 'der', type: 'pkcs8' })
  return {
    keyId,
    algorithm,
    keyObject,
    privateKey: { ...jwk, ...named },
    publicKey: { ...publicMembers(jwk), ...named },
    sign: (text) => signRaw(der, algorithm, text),
  }
}

/** Written out, because in workerd the public key of a private one still has its private members. */
function publicMembers({ kty, crv, x, y, n, e }: JWK): JWK {
  const members = { kty, crv, x, y, n, e }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** With the key as bytes: workerd takes no KeyObject here. */
function signRaw(der: Buffer, algorithm: JwtAlgorithm, text: string): Buffer {
  const key = { key: der, format: 'der', type: 'pkcs8', dsaEncoding: 'ieee-p1363' } as const
  return sign(algorithm === 'EdDSA' ? null : 'sha256', Buffer.from(text), key)
}

type JsonText = string | Uint8Array | object

/** `header.payload`. Each part is an object, or its literal text or bytes. */
export function signingInput(header: JsonText, payload: JsonText): string {
  return `${segment(header)}.${segment(payload)}`
}

/** A hand-made token. Its signature is valid, its content unchecked. */
export function compactToken(
  header: JsonText,
  payload: JsonText,
  signer: (input: string) => Uint8Array,
): string {
  const input = signingInput(header, payload)
  return `${input}.${base64url(signer(input))}`
}

function segment(content: JsonText): string {
  return base64url(
    typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
  )
}

export function base64url(content: string | Uint8Array): string {
  return Buffer.from(content).toString('base64url')
}

/** Replaces the bytes of a token's signature. */
export function changeSignature(token: string, change: (signature: Buffer) => Uint8Array): string {
  const [header = '', payload = '', signature = ''] = token.split('.')
  return `${header}.${payload}.${base64url(change(Buffer.from(signature, 'base64url')))}`
}

/** A number as big-endian bytes. */
export function toBytes(value: bigint, length: number): Buffer {
  return Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex')
}

export function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)
}
