import { encodeUtf8 } from '../lib/bytes.ts'
import { MAX_BODY_BYTES, TOLERANCE_SECONDS } from '../limits.ts'
import type { Reason } from '../reason.ts'

/** The signed parts, as sent. */
export interface RequestParts {
  readonly timestamp: string
  readonly eventId: string
  readonly body: Uint8Array<ArrayBuffer>
}

/** A change to a signed part. It gets this reason even if it is signed again. */
interface WrongPart {
  readonly name: string
  readonly reason: Reason
  readonly change: (parts: RequestParts) => Partial<RequestParts>
}

/** Seconds from now. The clocks may differ a little. */
const TOO_FAR = TOLERANCE_SECONDS + 20

function timestamp(
  name: string,
  change: (seconds: number) => string,
  reason: Reason = 'timestamp_malformed',
): WrongPart {
  return { name, reason, change: ({ timestamp }) => ({ timestamp: change(Number(timestamp)) }) }
}

function eventId(name: string, change: (id: string) => string): WrongPart {
  return { name, reason: 'event_id_not_uuid_v4', change: (parts) => ({ eventId: change(parts.eventId) }) }
}

function body(
  name: string,
  change: (body: Uint8Array) => Uint8Array | string,
  reason: Reason = 'body_not_json',
): WrongPart {
  return {
    name,
    reason,
    change({ body }) {
      const changed = change(body)
      return { body: typeof changed === 'string' ? encodeUtf8(changed) : new Uint8Array(changed) }
    },
  }
}

/** The text with one character replaced. */
function withCharacter(text: string, at: number, character: string): string {
  return text.slice(0, at) + character + text.slice(at + 1)
}

function padded(body: Uint8Array, length: number): Uint8Array {
  const bytes = new Uint8Array(Math.max(length, body.length)).fill(0x20)
  bytes.set(body)
  return bytes
}

/**
 * In the order of the checks. `Number`, `parseInt`, `Date` or a lenient JSON parser would accept most of
 * them.
 */
export const WRONG_PARTS: readonly WrongPart[] = [
  body('a body of 65,537 bytes', (bytes) => padded(bytes, MAX_BODY_BYTES + 1), 'body_too_large'),
  body('an empty body', () => ''),
  body('a body with one bracket too many', (bytes) => Uint8Array.of(...bytes, 0x7d)),
  body('JSON behind a byte order mark', (bytes) => Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes)),
  body('JSON in Latin-1', () => Uint8Array.of(0x22, 0xe9, 0x22)),
  body('JSON with single quotes', () => "{'a':1}"),
  body('NaN for a body', () => 'NaN'),
  body('form fields for a body', () => 'a=1'),
  timestamp('a timestamp in milliseconds', (seconds) => `${seconds}000`),
  timestamp('a timestamp with a fraction', (seconds) => `${seconds}.0`),
  timestamp('a timestamp with a zero in front', (seconds) => `0${seconds}`),
  timestamp('a timestamp with a plus sign', (seconds) => `+${seconds}`),
  timestamp('a timestamp in hexadecimal', (seconds) => `0x${seconds.toString(16)}`),
  timestamp('a timestamp with words behind it', (seconds) => `${seconds} UTC`),
  timestamp('a timestamp in ISO 8601', (seconds) => new Date(seconds * 1000).toISOString()),
  timestamp(`a timestamp ${TOO_FAR} s old`, (seconds) => `${seconds - TOO_FAR}`, 'timestamp_out_of_range'),
  timestamp(`a timestamp ${TOO_FAR} s ahead`, (seconds) => `${seconds + TOO_FAR}`, 'timestamp_out_of_range'),
  eventId('a UUID v1 for an event ID', (id) => withCharacter(id, 14, '1')),
  eventId('a UUID v7 for an event ID', (id) => withCharacter(id, 14, '7')),
  eventId('an event ID of another variant', (id) => withCharacter(id, 19, 'c')),
  eventId('the nil UUID for an event ID', () => '00000000-0000-0000-0000-000000000000'),
  eventId('an event ID in braces', (id) => `{${id}}`),
  eventId('an event ID without hyphens', (id) => id.replaceAll('-', '')),
  eventId('an event ID with urn:uuid: in front', (id) => `urn:uuid:${id}`),
  eventId('an event ID that lacks a digit', (id) => id.slice(0, -1)),
]
