import { type ParseResult, type PreAuthLimits, type ReadBody, readJson } from '../../body.ts'
import { parseJson } from '../../lib/json.ts'
import type { Protocol } from '../../protocol.ts'
import { fail } from '../../reason.ts'
import type { BodyForm, Content } from '../../scheme.ts'
import { FORM } from './form-fields.ts'

type Read = (body: Uint8Array) => ParseResult

/** Reads a body of one kind within limits, before its sender is known. `read` reads it without. */
export type ReadPreAuth = (
  kind: Content,
  jsonField: string | undefined,
  read: Read,
) => (body: Uint8Array, limits: PreAuthLimits) => ParseResult

/** Makes the readers of forms. `FORMS`, for a row that takes some. */
export interface FormReaders {
  readerOf(jsonField: string | undefined, isFormOnly: boolean): Read
  /** How a GET is read, whose payload is its query. */
  readonly ofQuery: Pick<Protocol, 'readQuery' | 'queryBytes'>
}

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
  forms: FormReaders | undefined,
  readPreAuth: ReadPreAuth = neverPreAuth,
): (mediaType: string | undefined) => ReadBody | undefined {
  const readForm = forms?.readerOf(
    jsonField,
    content.every((kind) => kind === 'form'),
  )
  const readers = content.map((kind) => {
    const read = readerOf(kind, readForm)
    const preAuth = readPreAuth(kind, jsonField, read)
    return { kind, read: ((body, limits) => (limits ? preAuth(body, limits) : read(body))) as ReadBody }
  })
  return (mediaType) => {
    const found = mediaType === undefined ? readers[0] : readers.find(({ kind }) => fits(kind, mediaType))
    return found?.read
  }
}

/** The header that selects the reader. Undefined if all media types, and none, select the same. */
export function typeHeader([first]: readonly Content[]): 'content-type' | undefined {
  return typeof first === 'object' && first.mediaTypes.includes('*') ? undefined : 'content-type'
}

function readerOf(kind: Content, readForm: Read | undefined): Read {
  if (typeof kind === 'object') return (body) => readOwn(kind, body)
  return (kind === 'form' && readForm) || readJson
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

function readOwn({ mediaTypes, is = mediaTypes[0], read, json }: BodyForm, body: Uint8Array): ParseResult {
  const payload = read(body)
  if (payload !== undefined) return { payload }
  const found = json?.(body)
  return found !== undefined && 'problem' in parseJson(found)
    ? fail('body_not_json', 'the body is not a form whose field holds JSON')
    : fail('body_malformed', `the body is not ${is}`)
}
