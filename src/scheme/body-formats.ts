import { decodeUtf8 } from '../lib/bytes.ts'
import { type Json, parseJson } from '../lib/json.ts'
import { multipartExcess } from './read-limits.ts'
import type { BodyForm } from './scheme.ts'

const LONGEST_DELIMITER = 72 // RFC 2046 5.1.1: two hyphens and 70 characters
const DISPOSITION = /content-disposition:/gi
const BOUNDARY = 'hookgate-signs-as'

/** Reads the event from a JSON field of `multipart/form-data` (RFC 7578). */
/* @__NO_SIDE_EFFECTS__ */
export function jsonInMultipart(field: string): BodyForm {
  return {
    mediaTypes: ['multipart/form-data'],
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    excess: multipartExcess,
    read(body) {
      try {
        const event: Json = JSON.parse(fieldOf(decodeUtf8(body) ?? '', field) ?? '')
        return event
      } catch {
        return undefined
      }
    },
    write(event) {
      const text = new TextDecoder().decode(event)
      const part = `Content-Disposition: form-data; name="${field}"\r\n\r\n${text}`
      return new TextEncoder().encode(`--${BOUNDARY}\r\n${part}\r\n--${BOUNDARY}--\r\n`)
    },
  }
}

/**
 * Finds the text of a field. Undefined if the field is missing or repeated. Takes the first line as the delimiter,
 * because webhook senders write no preamble.
 */
function fieldOf(text: string, name: string): string | undefined {
  const delimiter = text.slice(0, Math.max(0, text.indexOf('\r\n')))
  if (!delimiter.startsWith('--') || delimiter.length > LONGEST_DELIMITER) return undefined
  const parts = `\r\n${text}`.split(`\r\n${delimiter}`).slice(1)
  if (!parts.pop()?.startsWith('--')) return undefined
  const found = parts.flatMap((part) => {
    const end = part.indexOf('\r\n\r\n')
    return hasName(part.slice(0, Math.max(0, end)), name) ? [part.slice(end + 4)] : []
  })
  return found.length === 1 ? found[0] : undefined
}

/** Whether a line of the part's header names the field. Does not split the lines, of which there can be many. */
function hasName(head: string, name: string): boolean {
  for (const { index } of head.matchAll(DISPOSITION)) {
    if (index > 0 && !head.startsWith('\r\n', index - 2)) continue
    const end = head.indexOf('\r\n', index)
    if (head.slice(index, end < 0 ? undefined : end).includes(`; name="${name}"`)) return true
  }
  return false
}

/** Accepts any body. The payload is the parsed JSON, or else the text, or null for bytes that are not UTF-8. */
export const ANY_BODY: BodyForm = {
  mediaTypes: ['*'],
  contentType: 'application/json',
  read(body) {
    const parsed = parseJson(body)
    return 'value' in parsed ? parsed.value : (decodeUtf8(body) ?? null)
  },
  write: (event) => new Uint8Array(event),
}

/** Accepts JSON and JSON Lines. Several lines become a list, a single line becomes its value. */
export const JSON_OR_LINES: BodyForm = {
  mediaTypes: ['application/json', 'application/x-ndjson', 'application/jsonl', 'application/x-jsonlines'],
  contentType: 'application/json',
  read(body) {
    const parsed = parseJson(body)
    return 'value' in parsed ? parsed.value : linesOf(decodeUtf8(body) ?? '')
  },
  write: (event) => new Uint8Array(event),
}

/** Undefined if there are no lines, or if a line is not JSON. */
function linesOf(text: string): Json | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  try {
    const values: Json[] = lines.map((line) => JSON.parse(line))
    return values.length > 0 ? values : undefined
  } catch {
    return undefined
  }
}
