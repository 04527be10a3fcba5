import { decodeBase64url, sha256 } from '#crypto'
import type { Spelling } from '../crypto/mac.ts'
import { encodeBase64 } from '../lib/base64.ts'
import { encodeHex } from '../lib/hex.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'

/** The SHA-256 of a body, in the sender's encoding. */
export function bodyHash(body: Uint8Array, spelling: Spelling): MaybePromise<string> {
  return whenKnown(sha256(body), (digest) => {
    const bytes = decodeBase64url(digest) ?? new Uint8Array(0)
    if (spelling === 'base64url') return digest
    return spelling === 'hex' ? encodeHex(bytes) : encodeBase64(bytes)
  })
}
