/** Cryptography on node:crypto, synchronous. `web.ts` is its twin: one vector suite holds the two equal. */
import { createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { MAX_BODY_BYTES } from '../limits.ts'

export { verifySignature } from './node-signature.ts'

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
const PREFIX_ROOM = 64

// One scratch for all: nothing here awaits, so two computations never meet in it.
const inner = Buffer.allocUnsafeSlow(BLOCK_BYTES + PREFIX_ROOM + MAX_BODY_BYTES)
const outer = Buffer.allocUnsafeSlow(BLOCK_BYTES + DIGEST_BYTES)

/**
 * HMAC-SHA256 with the UTF-8 bytes of `secret`, over the ASCII text `prefix` and then `body`, as base64url.
 *
 * Written out as RFC 2104 over one-shot hashes: it makes no Hmac object, which costs more than hashing 1 KB.
 */
export function hmacSha256(secret: string): (prefix: string, body: Uint8Array) => MaybePromise<string> {
  const key = Buffer.from(secret, 'utf8')
  const keyObject = createSecretKey(key)
  const block = Buffer.alloc(BLOCK_BYTES)
  block.set(key.length > BLOCK_BYTES ? Buffer.from(hash('sha256', key, 'hex'), 'hex') : key)
  const innerKey = block.map((byte) => byte ^ 0x36)
  const outerKey = block.map((byte) => byte ^ 0x5c)

  return (prefix, body) => {
    const bodyStart = BLOCK_BYTES + prefix.length
    const end = bodyStart + body.length
    if (end > inner.length) {
      return createHmac('sha256', keyObject).update(prefix, 'latin1').update(body).digest('base64url')
    }
    inner.set(innerKey)
    inner.write(prefix, BLOCK_BYTES, 'latin1')
    inner.set(body, bodyStart)
    outer.set(outerKey)
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'latin1')
    return hash('sha256', outer, 'base64url')
  }
}

/** SHA-256 as base64url. */
export function sha256(bytes: Uint8Array): MaybePromise<string> {
  return hash('sha256', bytes, 'base64url')
}

const LONGEST_TEXT = 64
const left = Buffer.alloc(LONGEST_TEXT * 2)
const right = Buffer.alloc(LONGEST_TEXT * 2)
let written = 0

/** Whether two texts of one length, at most 64, are equal, in a time that does not depend on where they differ. */
export function constantTimeEqual(a: string, b: string): boolean {
  if (a.length !== b.length || a.length > LONGEST_TEXT) return false
  if (a.length < written) {
    // What a longer text left behind is no part of these.
    left.fill(0)
    right.fill(0)
  }
  written = a.length
  left.write(a, 'utf16le')
  right.write(b, 'utf16le')
  return timingSafeEqual(left, right)
}
