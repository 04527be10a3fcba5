/** Cryptography on the Web Crypto API, for runtimes without node:crypto. `node.ts` is its twin. */
import { encodeBase64url } from '../lib/base64url.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { isKeyFor, type JwtAlgorithm, type SignatureKey } from './signature-keys.ts'

export { decodeBase64url } from '../lib/base64url.ts'

const HMAC_SHA256 = { name: 'HMAC', hash: 'SHA-256' }
const encoder = new TextEncoder()

/** HMAC-SHA256 with the UTF-8 bytes of `secret`, over the ASCII text `prefix` and then `body`, as base64url. */
export function hmacSha256(secret: string): (prefix: string, body: Uint8Array) => MaybePromise<string> {
  const importKey = () => crypto.subtle.importKey('raw', encoder.encode(secret), HMAC_SHA256, false, ['sign'])
  let key: Awaited<ReturnType<typeof importKey>> | undefined

  return async (prefix, body) => {
    const message = new Uint8Array(prefix.length + body.length)
    message.set(encoder.encode(prefix))
    message.set(body, prefix.length)
    // The key is kept, never its promise: workerd forbids awaiting what another request started.
    key ??= await importKey()
    return encodeBase64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, message)))
  }
}

/** SHA-256 as base64url. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  return encodeBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes.slice())))
}

/** Whether `signature` over the ASCII `text` verifies with a key that was imported for the algorithm (RFC 7515 5.2). */
export async function verifySignature(
  algorithm: JwtAlgorithm,
  key: SignatureKey,
  signature: Uint8Array<ArrayBuffer>,
  text: string,
): Promise<boolean> {
  try {
    if (!isKeyFor(algorithm, key)) return false
    return await crypto.subtle.verify(
      { name: key.algorithm.name, hash: 'SHA-256' },
      key,
      signature,
      encoder.encode(text),
    )
  } catch {
    return false
  }
}

const LONGEST_TEXT = 64

/** Whether two texts of one length, at most 64, are equal, in a time that does not depend on where they differ. */
export function constantTimeEqual(a: string, b: string): boolean {
  if (a.length !== b.length || a.length > LONGEST_TEXT) return false
  let difference = 0
  for (let index = 0; index < b.length; index += 1) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  }
  return difference === 0
}
