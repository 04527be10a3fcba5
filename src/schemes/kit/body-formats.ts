import { decodeUtf8, encodeUtf8 } from '../../lib/bytes.ts'
import { type Json, parseJson } from '../../lib/json.ts'
import type { BodyForm } from '../../scheme.ts'
import { FORM, onlyField, onlyOne } from './form-fields.ts'
import { multipartExcess } from './read-limits.ts'

const LONGEST_DELIMITER = 72 // RFC 2046 5.1.1: two hyphens and 70 characters
/** The longest header of a part, in bytes. */
const LONGEST_HEAD = 4096
const [CR, LF, DASH] = [0x0d, 0x0a, 0x2d]
const DASHES = /* @__PURE__ */ Uint8Array.of(DASH, DASH)
const EMPTY_LINE = /* @__PURE__ */ Uint8Array.of(CR, LF, CR, LF)
const NO_BYTES = /* @__PURE__ */ new Uint8Array(0)
const DISPOSITION = /content-disposition:/gi
const BOUNDARY = 'hookgate-signs-as'

/** Reads the event from a form whose only field holds its JSON. */
/* @__NO_SIDE_EFFECTS__ */
export function jsonInForm(field: string): BodyForm {
  const json = (body: Uint8Array) => onlyField(body, field)
  return {
    mediaTypes: [FORM],
    contentType: FORM,
    is: `a form whose only field is ${field}`,
    read(body) {
      const parsed = parseJson(json(body) ?? NO_BYTES)
      return 'value' in parsed ? parsed.value : undefined
    },
    json,
    write: (event) => encodeUtf8(`${new URLSearchParams([[field, new TextDecoder().decode(event)]])}`),
  }
}

/** Reads the event from a JSON field of `multipart/form-data` (RFC 7578). */
/* @__NO_SIDE_EFFECTS__ */
export function jsonInMultipart(field: string): BodyForm {
  return {
    mediaTypes: ['multipart/form-data'],
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    excess: multipartExcess,
    read(body) {
      const parsed = parseJson(fieldOf(body, field) ?? NO_BYTES)
      return 'value' in parsed && decodeUtf8(body) !== undefined ? parsed.value : undefined
    },
    json: (body) => fieldOf(body, field),
    write(event) {
      const text = new TextDecoder().decode(event)
      const part = `Content-Disposition: form-data; name="${field}"\r\n\r\n${text}`
      return encodeUtf8(`--${BOUNDARY}\r\n${part}\r\n--${BOUNDARY}--\r\n`)
    },
  }
}

/**
 * Finds the bytes of a field. Undefined if the field is missing or repeated. Takes the first line as the delimiter,
 * because webhook senders write no preamble.
 */
function fieldOf(body: Uint8Array, name: string): Uint8Array | undefined {
  const delimiter = body.subarray(0, Math.max(0, body.indexOf(CR)))
  if (
    delimiter.length > LONGEST_DELIMITER ||
    !isLineAt(body, 0, DASHES) ||
    body[delimiter.length + 1] !== LF
  ) {
    return undefined
  }
  const starts = [0]
  for (let index = delimiter.length; index < body.length; index += 1) {
    // A body may have many lines, but `excess` limits those that begin with hyphens.
    if (body[index] !== DASH || body[index - 1] !== LF || body[index - 2] !== CR) continue
    if (isLineAt(body, index, delimiter)) starts.push(index)
  }
  const last = starts.at(-1) ?? 0
  if (!isLineAt(body, last + delimiter.length, DASHES)) return undefined
  const found = starts.slice(1).flatMap((next, index) => {
    const part = body.subarray((starts[index] ?? 0) + delimiter.length, next - 2)
    const end = endOfHead(part)
    return hasName(decodeUtf8(part.subarray(0, end)) ?? '', name) ? [part.subarray(end + 4)] : []
  })
  return onlyOne(found)
}

/** Whether these bytes stand at an index. */
function isLineAt(body: Uint8Array, start: number, line: Uint8Array): boolean {
  return line.every((byte, index) => body[start + index] === byte)
}

/** Where the empty line after a part's header is. 0 without one, or if the header is too long. */
function endOfHead(part: Uint8Array): number {
  for (let index = 0; index < Math.min(part.length, LONGEST_HEAD); index += 1) {
    if (part[index] === CR && isLineAt(part, index, EMPTY_LINE)) return index
  }
  return 0
}

/** Whether a line of the part's header names the field. */
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

/** The same, but an empty body is null. */
export const EMPTY_OR_ANY: BodyForm = /* @__PURE__ */ emptyOr(ANY_BODY)

function emptyOr(form: BodyForm): BodyForm {
  return { ...form, read: (body) => (body.length === 0 ? null : form.read(body)) }
}

const LOOKS_LIKE_XML = /^\ufeff?\s*</

/**
 * Accepts XML, which is not parsed: the payload is its text. The content type is not signed, so a captured JSON body could come
 * again as XML, without its type and its ID: nothing is XML that does not begin with `<`.
 */
export const XML: BodyForm = {
  mediaTypes: ['application/xml', 'text/xml'],
  contentType: 'text/xml; charset=utf-8',
  is: 'XML in UTF-8',
  read(body) {
    const text = decodeUtf8(body)
    return text !== undefined && LOOKS_LIKE_XML.test(text) ? text : undefined
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
