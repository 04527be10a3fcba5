import { type Failure, fail } from '../failure.ts'
import type { Json } from '../lib/json.ts'
import { parseJson } from '../lib/json-text.ts'
import type { BodyForm } from './body-form.ts'
import { formText, parseForm, withJsonField } from './form.ts'
import { formExcess, jsonExcess } from './read-limits.ts'
import type { Content } from './scheme.ts'

const encoder = new TextEncoder()

/** A parsed body, or the reason why it does not parse. */
export type Reading = { readonly payload: Json } | Failure<'body_not_json' | 'body_malformed'>

/**
 * Reads bodies of one content type. `mostFields` limits what is parsed before the sender is known. Omit it for an authenticated
 * body.
 */
export type ReadBody = (body: Uint8Array, mostFields?: number) => Reading

/**
 * Finds the reader for a media type. A missing type selects the first reader. Undefined if the sender does not use the
 * type.
 */
export function bodyReaders(
  content: readonly Content[],
  jsonField: string | undefined,
): (mediaType: string | undefined) => ReadBody | undefined {
  const isFormOnly = content.every((kind) => kind === 'form')
  const readers = content.map((kind) => ({ kind, read: readerOf(kind, jsonField, isFormOnly) }))
  return (mediaType) => {
    const found = mediaType === undefined ? readers[0] : readers.find(({ kind }) => fits(kind, mediaType))
    return found?.read
  }
}

/** The header that selects the reader. Undefined if all media types, and none, select the same. */
export function typeHeader([first]: readonly Content[]): 'content-type' | undefined {
  return typeof first === 'object' && first.mediaTypes.includes('*') ? undefined : 'content-type'
}

function readerOf(kind: Content, jsonField: string | undefined, isFormOnly: boolean): ReadBody {
  const [read, excess]: readonly [read: ReadBody, excess: BodyForm['excess']] =
    kind === 'form'
      ? [(body, mostFields) => readForm(body, jsonField, isFormOnly, mostFields), formExcess]
      : typeof kind === 'string'
        ? [readJson, jsonExcess]
        : [(body) => readOwn(kind, body), kind.excess]
  return (body, mostFields) => {
    const tooMuch = mostFields === undefined ? undefined : excess?.(body, mostFields)
    return tooMuch === undefined ? read(body, mostFields) : fail('body_malformed', tooMuch)
  }
}

function fits(kind: Content, mediaType: string): boolean {
  if (typeof kind === 'object') return kind.mediaTypes.some((each) => each === mediaType || each === '*')
  if (kind === 'form') return mediaType === 'application/x-www-form-urlencoded'
  if (kind === 'json as text') return mediaType === 'text/plain'
  return (
    mediaType === 'application/json' || (mediaType.startsWith('application/') && mediaType.endsWith('+json'))
  )
}

function readJson(body: Uint8Array): Reading {
  const parsed = parseJson(body)
  return 'problem' in parsed ? fail('body_not_json', parsed.problem) : { payload: parsed.value }
}

/**
 * A form has its brackets and quotes percent-encoded. The content type is not signed, so a captured JSON body could come
 * again as a form: without the ID that it is claimed by, and with a field from a text that a stranger wrote.
 */
const LOOKS_LIKE_JSON = /^\s*[[{"]/

function readForm(
  body: Uint8Array,
  jsonField: string | undefined,
  isFormOnly: boolean,
  mostFields: number | undefined,
): Reading {
  const text = formText(body)
  const isJson = !isFormOnly && text !== undefined && LOOKS_LIKE_JSON.test(text)
  const form = text === undefined || isJson ? undefined : parseForm(text)
  if (form === undefined) return fail('body_malformed', 'the body is not a form in UTF-8')
  if (jsonField !== undefined && mostFields !== undefined) {
    const tooMuch = jsonExcess(encoder.encode(`${form[jsonField]}`), mostFields)
    if (tooMuch !== undefined) return fail('body_malformed', tooMuch)
  }
  const payload = jsonField === undefined ? form : withJsonField(form, jsonField)
  return payload === undefined ? fail('body_malformed', `the form's ${jsonField} is not JSON`) : { payload }
}

function readOwn({ mediaTypes, read }: BodyForm, body: Uint8Array): Reading {
  const payload = read(body)
  return payload === undefined ? fail('body_malformed', `the body is not ${mediaTypes[0]}`) : { payload }
}
