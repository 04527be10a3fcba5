import type { ParseResult } from '../../body.ts'
import { type Delivery, queryTextOf } from '../../delivery.ts'
import { decodeUtf8, encodeUtf8 } from '../../lib/bytes.ts'
import { type Json, parseJson } from '../../lib/json.ts'
import { fail } from '../../reason.ts'
import type { BodyForm, Content } from '../../scheme.ts'
import { bodyReaders, type FormReaders } from './body.ts'
import { ANY_BODY } from './body-formats.ts'
import { formFields, onlyField } from './form-fields.ts'
import { MOST_FIELDS } from './read-limits.ts'

/**
 * A form has its brackets and quotes percent-encoded. The content type is not signed, so a captured JSON body could come
 * again as a form: without the ID that it is claimed by, and with a field from a text that a stranger wrote.
 */
const LOOKS_LIKE_JSON = /^[\s+]*[[{"]/
const NO_FORM = `not a form in UTF-8 of at most ${MOST_FIELDS.toLocaleString('en')} fields`

function readForm(body: Uint8Array, jsonField: string | undefined, isFormOnly: boolean): ParseResult {
  const text = decodeUtf8(body)
  const isJson = !isFormOnly && text !== undefined && LOOKS_LIKE_JSON.test(text)
  const form = text === undefined || isJson ? undefined : parseForm(body)
  if (form === undefined) return fail('body_malformed', `the body is ${NO_FORM}`)
  if (jsonField === undefined || !Object.hasOwn(form, jsonField)) return { payload: form }
  const json = onlyField(body, jsonField)
  if (json === undefined) return fail('body_malformed', `the form has more than its field ${jsonField}`)
  const parsed = parseJson(json)
  return 'value' in parsed
    ? { payload: { [jsonField]: parsed.value } }
    : fail('body_not_json', `the form's ${jsonField} is not JSON`)
}

/** The bytes of the query. Of a URL that is too long, none. */
function queryBytes(delivery: Delivery): Uint8Array {
  return encodeUtf8(queryTextOf(delivery))
}

function readQuery(delivery: Delivery): ParseResult {
  const isTooLong = queryTextOf(delivery) === undefined
  const payload = isTooLong ? undefined : parseForm(queryBytes(delivery))
  return payload === undefined ? fail('body_malformed', `the query is ${NO_FORM}`) : { payload }
}

type Form = { [name: string]: string | string[] }

/**
 * Decodes a form. A repeated name becomes an array, in order. Undefined if the percent encoding is malformed or not UTF-8, or for
 * over 1,000 fields, the limit of Django and qs: 25 MB hold millions, which take half a minute.
 */
export function parseForm(form: Uint8Array): Form | undefined {
  const fields = formFields(form, Infinity, MOST_FIELDS + 1)
  if (fields === undefined || fields.length > MOST_FIELDS) return undefined
  const grouped = new Map<string, string | string[]>()
  for (const { name, value } of fields) {
    const text = decodeUtf8(value)
    if (text === undefined) return undefined
    const before = grouped.get(name)
    if (Array.isArray(before)) before.push(text)
    else grouped.set(name, before === undefined ? text : [before, text])
  }
  return Object.fromEntries(grouped) // creates own members, even for `__proto__`
}

export const FORMS: FormReaders = {
  readerOf: (jsonField, isFormOnly) => (body) => readForm(body, jsonField, isFormOnly),
  ofQuery: { readQuery, queryBytes },
}

/** Visible ASCII, as text without a space or a line end hardly ever is. No JSON fits. */
const looksLikeForm = (text: string) => text.includes('=') && !/^[[{"<]/.test(text) && !/[^!-~]/.test(text) // a `+` over megabytes exhausts the stack

/**
 * Accepts any body, and heeds no content type, because none is signed. The payload is the parsed JSON, or the fields of what looks like
 * a form, or else the text, or null for bytes that are not UTF-8.
 */
export const JSON_FORM_OR_TEXT: BodyForm = /* @__PURE__ */ formOr(ANY_BODY)

function formOr(other: BodyForm): BodyForm {
  return {
    ...other,
    read(body) {
      const isForm = looksLikeForm(decodeUtf8(body) ?? '')
      return (isForm ? parseForm(body) : undefined) ?? other.read(body)
    },
  }
}

/** The payload of a body in the scheme's first format. Undefined if it does not parse. */
export function parsedBody(
  body: Uint8Array,
  content: readonly Content[] = ['json'],
  jsonField?: string,
): Json | undefined {
  const result = bodyReaders(content, jsonField, FORMS)(undefined)?.(body)
  return result && 'payload' in result ? result.payload : undefined
}
