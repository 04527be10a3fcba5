import { hashWith, sha256 } from '#crypto'
import type { Signed, SignedBody } from './crypto/algorithms.ts'
import { isWritten } from './crypto/written.ts'
import type { EventKey } from './event-store.ts'
import { type MaybePromise, whenKnown } from './lib/maybe-promise.ts'

/** The IDs that stores hold: UUIDs of version 4, and of version 8 for all other IDs. */
const STORED_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/**
 * The key by which stores hold an event. Any text is an event ID, or a listener's, and every method of every store takes it. A
 * listener's ID with half a surrogate pair is held as a UUID, because databases would hold several as one.
 */
export function storedKey(key: EventKey): MaybePromise<EventKey> {
  const { eventId, listenerId } = key
  const isPlain = listenerId.isWellFormed()
  if (isPlain && STORED_ID.test(eventId)) return key
  return whenKnown(keyOfId(eventId), (event) =>
    whenKnown(isPlain ? listenerId : keyOfId(listenerId), (listener) => ({
      listenerId: listener,
      eventId: event,
    })),
  )
}

/** The stored form of a sender's ID: in lower case if it is a UUID of version 4 or 8, otherwise a UUIDv8 of it. */
export function keyOfId(id: string): MaybePromise<string> {
  const lower = id.length === 36 ? id.toLowerCase() : ''
  return STORED_ID.test(lower) ? lower : uuidOfHash(sha256(id, 'hex'))
}

/** What an event is claimed by: its ID, or signed bytes. */
export type Claimed = string | SignedBody | Signed

/** The keys of several events: of an ID for a text, and of the data for bytes. */
export function keysOf(claimed: readonly Claimed[]): MaybePromise<readonly string[]> {
  const keys = claimed.map(keyOf)
  return keys.every(isText) ? keys : Promise.all(keys)
}

const isText = (key: MaybePromise<string>): key is string => typeof key === 'string'

const keyOf = (each: Claimed) => (typeof each === 'string' ? keyOfId(each) : keyOfBytes(each))

/** The first digit of RFC 9562's variant: its upper bits are 10. */
const VARIANTS = ['8', '9', 'a', 'b']

/**
 * A UUIDv8 (RFC 9562 5.8) of the data's SHA-256, because stores hold keys of 36 characters. Texts are hashed as UTF-8, and what has
 * none as `textBytes` writes it.
 */
export function keyOfBytes(data: Claimed): MaybePromise<string> {
  const isInParts = typeof data === 'object' && 'body' in data
  return uuidOfHash(isInParts ? hashOf(data.before, data.body, data.after) : hashOfWhole(data))
}

const hashOf = /* @__PURE__ */ hashWith('sha256', 'hex')

const hashOfWhole = (data: string | SignedBody) =>
  typeof data === 'object' && isWritten(data) ? hashOf('', data, '') : sha256(data, 'hex')

const uuidOfHash = (hex: MaybePromise<string>) => (isText(hex) ? uuidOf(hex) : hex.then(uuidOf))

function uuidOf(hex: string): string {
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 0b11] ?? ''
  const [first, second] = [hex.slice(0, 8), hex.slice(8, 12)]
  return `${first}-${second}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
