/**
 * Limits of the bodies that are parsed before their sender is known. Parsing a megabyte of `[[[[` or of short members takes a
 * hundred times as long as reading it.
 */

/** The most object members, array elements, form fields or parts of a body. A row may set its own number. */
export const MOST_FIELDS = 1000
const DEEPEST = 64

/**
 * Counts the members, elements and levels of a JSON text without parsing it. An empty object or array counts as one more
 * field. Returns what there is too much of, or undefined. Texts that are not JSON are counted up to their first mistake, where
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
    } else if ((code | 0x20) === 0x7b /* { or [ */) {
      fields += 1
      depth += 1
      if (depth > DEEPEST) return `the body is over ${DEEPEST} levels deep`
      if (fields > maxFields) return fieldExcess(maxFields)
    } else if ((code | 0x20) === 0x7d /* } or ] */) depth -= 1
  }
  return undefined
}

/** No JSON string contains a line feed. So the quotes in a part's header do not hide the JSON after it. */
function endOfString(text: Uint8Array, start: number): number {
  let index = start
  for (; index < text.length; index += 1) {
    const code = text[index]
    if (code === 0x5c /* \ */) index += 1
    else if (code === 0x22 || code === 0x0a) return index
  }
  return index
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
