import { sha256 } from '#crypto'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { isUuidV4 } from '../lib/uuid.ts'

/** The first digit of RFC 9562's variant: its upper bits are 10. */
const VARIANTS = ['8', '9', 'a', 'b']

/** The store key of a sender's ID: the lower-case ID if it is a UUID v4, otherwise a UUIDv8 of it. */
export function keyOfId(id: string): MaybePromise<string> {
  return isUuidV4(id) ? id.toLowerCase() : keyOfBytes(id)
}

/**
 * A UUIDv8 (RFC 9562 5.8) of the data's SHA-256, because stores hold keys of 36 characters. Strings are hashed as
 * UTF-8.
 */
export function keyOfBytes(data: Uint8Array | string): MaybePromise<string> {
  return whenKnown(sha256(data, 'hex'), (hex) => {
    const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 0b11] ?? ''
    const [first, second] = [hex.slice(0, 8), hex.slice(8, 12)]
    return `${first}-${second}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  })
}
