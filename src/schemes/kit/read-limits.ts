import { countJson } from '../../lib/json-scan.ts'

/**
 * Limits of the bodies that are parsed before their sender is known. Parsing a megabyte of `[[[[` or of short members takes a
 * hundred times as long as reading it.
 */

/** The most object members, array elements, form fields or parts of a body. A row may set its own number. */
export const MOST_FIELDS = 1000
const DEEPEST = 64

/** Finds what there is too much of to parse a JSON text: levels or fields. Undefined if it can be parsed. */
export function jsonExcess(text: Uint8Array, maxFields: number): string | undefined {
  const { fields, levels } = countJson(text, { fields: maxFields, levels: DEEPEST })
  if (levels > DEEPEST) return `the body is over ${DEEPEST} levels deep`
  return fields > maxFields ? fieldExcess(maxFields) : undefined
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
