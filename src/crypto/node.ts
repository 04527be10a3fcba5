/** Cryptography on node:crypto, synchronous. `web.ts` is its counterpart: both run the same test vectors. */
import nodeCrypto, { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { ListenerConfigError } from '../errors.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { HmacHash, Mac, Spelling } from './mac.ts'

export { verifySignature } from './node-signature.ts'

/** Not imported by name: older versions of Node would only report a missing export. */
const hash: typeof nodeCrypto.hash = nodeCrypto.hash ?? refuseNode()

function refuseNode(): never {
  throw new ListenerConfigError('node', `must be 20.19 or newer; this is ${process.version}`)
}

/** Computes the HMAC of `before`, `body` and `after`, concatenated. Each character of a text is one byte. */
export function hmacWith(algorithm: HmacHash, key: Uint8Array, spelling: Spelling): Mac {
  const keyObject = createSecretKey(key) // as bytes it would be read again each time
  return (before, body, after) => {
    const mac = createHmac(algorithm, keyObject)
    if (before !== '') mac.update(before, 'latin1')
    mac.update(body)
    if (after !== '') mac.update(after, 'latin1')
    return mac.digest(spelling)
  }
}

/** The SHA-256 of bytes, or of a text's UTF-8, as text. */
export function sha256(data: Uint8Array | string, spelling: Spelling = 'base64url'): MaybePromise<string> {
  return hash('sha256', data, spelling)
}

/** The bytes of canonical base64url without padding (RFC 4648 5); undefined for any other text. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined // the decoder accepts nearly anything
}

const LONGEST_TEXT = 128
/** Two buffers per length, so that no bytes of an earlier text are compared. */
const buffers: (readonly [Buffer, Buffer])[] = []

/** Compares two texts of equal length, at most 128, in constant time. */
export function constantTimeEqual(a: string, b: string): boolean {
  if (a.length !== b.length || a.length > LONGEST_TEXT) return false
  buffers[a.length] ??= [Buffer.alloc(a.length * 2), Buffer.alloc(a.length * 2)]
  const [left, right] = buffers[a.length] as (typeof buffers)[number]
  left.write(a, 'utf16le')
  right.write(b, 'utf16le')
  return timingSafeEqual(left, right)
}
