import { endOfString } from '../../lib/json-members.ts'
import { MOST_READ } from '../../limits.ts'

/**
 * Limits of the bodies that are parsed before their sender is known. Parsing a megabyte of `[[[[` or of short members takes a
 * hundred times as long as reading it.
 */

/** The most object members, array elements, form fields or parts of a body. A row may set its own number. */
export const MOST_FIELDS = 1000
const DEEPEST = 64

/** Names the limit that a body is longer than. Listeners may take longer bodies, but not read them before they know the sender. */
export function sizeExcess({ length }: Uint8Array): string | undefined {
  return length > MOST_READ
    ? `the body is over ${MOST_READ / 1024} KB, which no stranger's may be`
    : undefined
}

/**
 * Counts the members, elements and levels of a JSON text without parsing it. An empty object or array counts as one more
 * field. Returns the limit that is exceeded, or undefined. Texts that are not JSON are counted up to their first mistake, where
 * a parser would stop.
 */
export function jsonExcess(text: Uint8Array, maxFields: number): string | undefined {
  let fields = 0
  let depth = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text[index] ?? 0
    if (code === 0x22 /* " */) {
      index = endOfString(text, index + 1)
    } else if (code === 0x2c /* , */) {
      fields += 1
      if (fields > maxFields) return fieldExcess(maxFields)
      // `{` and `[` are 0x7b and 0x5b, `}` and `]` are 0x7d and 0x5d: each pair differs only in bit 0x20.
    } else if ((code | 0x20) === 0x7b) {
      fields += 1
      depth += 1
      if (depth > DEEPEST) return `the body is over ${DEEPEST} levels deep`
      if (fields > maxFields) return fieldExcess(maxFields)
    } else if ((code | 0x20) === 0x7d) depth -= 1
  }
  return undefined
}

/** The same for a form, whose fields are separated by `&`. */
export function formExcess(form: Uint8Array, maxFields: number): string | undefined {
  let fields = 1
  for (let at = form.indexOf(0x26); at >= 0; at = form.indexOf(0x26, at + 1)) {
    fields += 1
    if (fields > maxFields) return fieldExcess(maxFields)
  }
  return undefined
}

/** The same for `multipart/form-data`: its parts, of which it may have 1,000, and the JSON in them. */
export function multipartExcess(body: Uint8Array, maxFields: number): string | undefined {
  let parts = 0
  for (let index = 2; index < body.length; index += 1) {
    // A line that begins with two hyphens.
    if (body[index] !== 0x2d || body[index - 1] !== 0x2d || body[index - 2] !== 0x0a) continue
    parts += 1
    if (parts > MOST_FIELDS) return fieldExcess(MOST_FIELDS)
  }
  return jsonExcess(body, maxFields)
}

function fieldExcess(maxFields: number): string {
  return `the body has over ${maxFields.toLocaleString('en')} fields`
}
