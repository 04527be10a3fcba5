import { decodeBase64url, sha256 } from '#crypto'
import { encodeHex } from '../lib/hex.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { isUuidV4 } from '../lib/uuid.ts'

const encoder = new TextEncoder()

/** What stands for a sender's ID in the store: a UUID v4 in lower case, the UUIDv8 of any other text. */
export function keyOfId(id: string): MaybePromise<string> {
  return isUuidV4(id) ? id.toLowerCase() : keyOfBytes(encoder.encode(id))
}

/** The UUIDv8 (RFC 9562 5.8) of the SHA-256 of these bytes: stores and their layouts know 36 characters. */
export function keyOfBytes(bytes: Uint8Array): MaybePromise<string> {
  return whenKnown(sha256(bytes), (digest) => {
    const uuid = (decodeBase64url(digest) ?? new Uint8Array(32)).slice(0, 16)
    uuid[6] = ((uuid[6] ?? 0) & 0x0f) | 0x80
    uuid[8] = ((uuid[8] ?? 0) & 0x3f) | 0x80
    const hex = encodeHex(uuid)
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  })
}
