import { type ParseResult, type PreAuthLimits, type ReadBody, readJson } from '../../body.ts'
import { type Delivery, queryTextOf } from '../../delivery.ts'
import { decodeUtf8 } from '../../lib/bytes.ts'
import { type Json, parseJson } from '../../lib/json.ts'
import { fail } from '../../reason.ts'
import { FORM, formFields, onlyField } from './form-fields.ts'
import type { BodyForm, Content, Scheme } from './scheme.ts'

const encoder = new TextEncoder()

type RepeatedFields = Scheme['repeatedFields'] | undefined

/** Reads a body of one kind within limits, before its sender is known. `read` reads it without. */
export type ReadPreAuth = (
  kind: Content,
  jsonField: string | undefined,
  read: (body: Uint8Array) => ParseResult,
) => (body: Uint8Array, limits: PreAuthLimits) => ParseResult

/** For rows that read nothing before they know the sender. */
const neverPreAuth: ReadPreAuth = () => () =>
  fail('body_malformed', 'a body of this scheme is read after authentication')

/**
 * Finds the reader for a media type. A missing type selects the first reader. Undefined if the sender does not use the
 * type.
 */
export function bodyReaders(
  content: readonly Content[],
  jsonField: string | undefined,
  readPreAuth: ReadPreAuth = neverPreAuth,
  repeatedFields?: RepeatedFields,
): (mediaType: string | undefined) => ReadBody | undefined {
  const isFormOnly = content.every((kind) => kind === 'form')
  const readers = content.map((kind) => {
    const read = readerOf(kind, jsonField, isFormOnly, repeatedFields)
    const preAuth = readPreAuth(kind, jsonField, read)
    return { kind, read: ((body, limits) => (limits ? preAuth(body, limits) : read(body))) as ReadBody }
  })
  return (mediaType) => {
    const found = mediaType === undefined ? readers[0] : readers.find(({ kind }) => fits(kind, mediaType))
    return found?.read
  }
}

/** The payload of a body in the scheme's first format. Undefined if it does not parse. */
export function parsedBody(
  body: Uint8Array,
  content: readonly Content[] = ['json'],
  jsonField?: string,
): Json | undefined {
  const result = bodyReaders(content, jsonField)(undefined)?.(body)
  return result && 'payload' in result ? result.payload : undefined
}

/** The header that selects the reader. Undefined if all media types, and none, select the same. */
export function typeHeader([first]: readonly Content[]): 'content-type' | undefined {
  return typeof first === 'object' && first.mediaTypes.includes('*') ? undefined : 'content-type'
}

function readerOf(
  kind: Content,
  jsonField: string | undefined,
  isFormOnly: boolean,
  repeatedFields: RepeatedFields,
): (body: Uint8Array) => ParseResult {
  if (typeof kind === 'object') return (body) => readOwn(kind, body)
  return kind === 'form' ? (body) => readForm(body, jsonField, isFormOnly, repeatedFields) : readJson
}

const JSON_TYPE = /^application\/(?:.*\+)?json$/

/** Whether a sender's bodies of this kind are forms. */
export function isForm(kind: Content): boolean {
  return kind === 'form' || (typeof kind === 'object' && kind.mediaTypes[0] === FORM)
}

const MEDIA_TYPES: Readonly<Record<Exclude<Content, BodyForm>, readonly string[]>> = {
  json: ['application/json'],
  form: [FORM],
  'json-as-text': ['text/plain'],
}

/** The media types of a kind. JSON may also be e.g. `application/cloudevents+json`. */
export const mediaTypesOf = (kind: Content): readonly string[] =>
  typeof kind === 'object' ? kind.mediaTypes : MEDIA_TYPES[kind]

/** Whether a body of this kind may have this media type. */
export function fits(kind: Content, mediaType: string): boolean {
  if (kind === 'json') return JSON_TYPE.test(mediaType)
  return mediaTypesOf(kind).some((each) => each === mediaType || each === '*')
}

/**
 * A form has its brackets and quotes percent-encoded. The content type is not signed, so a captured JSON body could come
 * again as a form: without the ID that it is claimed by, and with a field from a text that a stranger wrote.
 */
const LOOKS_LIKE_JSON = /^[\s+]*[[{"]/

function readForm(
  body: Uint8Array,
  jsonField: string | undefined,
  isFormOnly: boolean,
  repeatedFields: RepeatedFields,
): ParseResult {
  const text = decodeUtf8(body)
  const isJson = !isFormOnly && text !== undefined && LOOKS_LIKE_JSON.test(text)
  const form = text === undefined || isJson ? undefined : parseForm(body, repeatedFields)
  if (form === undefined) return fail('body_malformed', 'the body is not a form in UTF-8')
  if (jsonField === undefined || !Object.hasOwn(form, jsonField)) return { payload: form }
  const json = onlyField(body, jsonField)
  if (json === undefined) return fail('body_malformed', `the form has more than its field ${jsonField}`)
  const parsed = parseJson(json)
  return 'value' in parsed
    ? { payload: { [jsonField]: parsed.value } }
    : fail('body_not_json', `the form's ${jsonField} is not JSON`)
}

function readOwn({ mediaTypes, is = mediaTypes[0], read, json }: BodyForm, body: Uint8Array): ParseResult {
  const payload = read(body)
  if (payload !== undefined) return { payload }
  const found = json?.(body)
  return found !== undefined && 'problem' in parseJson(found)
    ? fail('body_not_json', 'the body is not a form whose field holds JSON')
    : fail('body_malformed', `the body is not ${is}`)
}

/** Reads the payload of a GET from its query. */
export function readQuery(delivery: Delivery): ParseResult {
  const text = queryTextOf(delivery)
  const payload = text === undefined ? undefined : parseForm(encoder.encode(text))
  return payload === undefined ? fail('body_malformed', 'the query is not a form in UTF-8') : { payload }
}

type Form = { [name: string]: string | string[] }

/**
 * Decodes a form. A repeated name becomes an array: in order, or as a sorted set, of which a single value is no array. Undefined if the
 * percent encoding is malformed or not UTF-8.
 */
export function parseForm(form: Uint8Array, repeatedFields?: RepeatedFields): Form | undefined {
  const grouped = new Map<string, string | string[]>()
  const fields = formFields(form, Infinity)
  for (const { name, value } of fields ?? []) {
    const text = decodeUtf8(value)
    if (text === undefined) return undefined
    const before = grouped.get(name)
    if (Array.isArray(before)) before.push(text)
    else grouped.set(name, before === undefined ? text : [before, text])
  }
  if (repeatedFields === 'sorted-set') {
    for (const [name, values] of grouped) {
      const distinct = [...new Set([values].flat())].sort()
      grouped.set(name, distinct.length > 1 ? distinct : (distinct[0] ?? ''))
    }
  }
  return fields && Object.fromEntries(grouped) // creates own members, even for `__proto__`
}
