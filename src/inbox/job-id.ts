import { ListenerConfigError } from '../errors.ts'
import { decodeBase64url, decodeHex, encodeBase64url, encodeHex } from '../lib/bytes.ts'
import { crc32 } from '../lib/crc32.ts'

/** Where a job is in the table: the key of its row, and its place in the order of all. */
export interface JobPlace {
  readonly key: string
  readonly number: number
}

/** A letter first, so that no command line takes it for an option. */
const PREFIX = 'job_'
const KEY_BYTES = 16
const NUMBER_BYTES = 6
/** Tells a text of another origin, and one that was cut off or mistyped. */
const CHECK_BYTES = 2

/** The ID of a listed job: the same for as long as it is in the table, and never that of another one. */
export function jobIdOf({ key, number }: JobPlace): string {
  const place = decodeHex(key.replaceAll('-', '') + hexOf(number, NUMBER_BYTES)) ?? new Uint8Array()
  const check = decodeHex(hexOf(checkOf(place), CHECK_BYTES)) ?? new Uint8Array()
  return PREFIX + encodeBase64url(Uint8Array.of(...place, ...check))
}

/** @throws ListenerConfigError for anything but such an ID. It does not repeat what it got. */
export function placeOf(id: unknown, option: string, expected: string): JobPlace {
  const bytes = typeof id === 'string' && id.startsWith(PREFIX) && decodeBase64url(id.slice(PREFIX.length))
  if (!bytes || bytes.length !== KEY_BYTES + NUMBER_BYTES + CHECK_BYTES)
    throw new ListenerConfigError(option, expected)
  const place = bytes.subarray(0, KEY_BYTES + NUMBER_BYTES)
  if (encodeHex(bytes.subarray(place.length)) !== hexOf(checkOf(place), CHECK_BYTES))
    throw new ListenerConfigError(option, expected)
  const hex = encodeHex(place)
  return {
    key: hex.slice(0, 2 * KEY_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    number: Number.parseInt(hex.slice(2 * KEY_BYTES), 16),
  }
}

const hexOf = (value: number, bytes: number) => value.toString(16).padStart(2 * bytes, '0')

const checkOf = (place: Uint8Array) => crc32(place) % 256 ** CHECK_BYTES
