import { sha256 } from '#crypto'
import type { Evidence } from '../auth/evidence.ts'
import { bytesOf } from '../lib/bytes.ts'
import { isPromise, type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { isUuidV4 } from '../lib/uuid.ts'
import type { SenderScheme } from './code-scheme.ts'
import type { Dedupe } from './scheme.ts'
import { signedBytes } from './signed-text.ts'

/**
 * The store keys of an event: first that of the signed bytes, then that of the ID. An event without an ID has the key of
 * the signed bytes. `topic` joins both keys, unless it is empty.
 */
export function eventKeys(
  scheme: SenderScheme,
  dedupe: Dedupe,
  evidence: Evidence,
  { id, topic }: { readonly id: string; readonly topic: string },
): MaybePromise<readonly string[]> {
  const claimedId = scheme.claimedId?.(id, evidence) || id
  const before = topic && `${topic}\n`
  const keys: MaybePromise<string>[] = []
  if (id === '' || dedupe.startsWith('signed bytes')) {
    // A scheme sets `signed` during authentication. Defaults to the body.
    const bytes = evidence.signed ? signedBytes(evidence.signed) : evidence.delivery.body
    keys.push(keyOfBytes(before === '' ? bytes : bytesOf(before, bytes, '')))
  }
  if (claimedId !== '' && dedupe.endsWith('id')) keys.push(keyOfId(before + claimedId))
  return keys.some(isPromise) ? Promise.all(keys) : (keys as string[]) // none is a promise
}

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
