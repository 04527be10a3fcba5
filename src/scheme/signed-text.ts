import { type Delivery, fieldText, headerOf, queryTextOf } from '../delivery.ts'
import { bytesOf, byteText } from '../lib/bytes.ts'
import { type Json, pointerSteps, textAt } from '../lib/json.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { FormField } from './form-fields.ts'
import type { Scheme, SchemeOptions, SchemeRequest, Signed } from './scheme.ts'

const LONGEST_MEMBER = 4096
const encoder = new TextEncoder()
const NO_BYTES = new Uint8Array(0)
const PART = /\{([^{}]+)\}|[^{}]+/g

/** The values of a delivery that a template can name. */
export interface SignedValues {
  readonly timestampText: string
  readonly eventIdText: string
  readonly delivery: Delivery
  /** Parses the body, within the limits of `Evidence.parsed`. Undefined if it does not parse. */
  parsed(): Json | undefined
  /** Decodes the fields of a form, within the same limits. */
  fields(): readonly FormField[] | undefined
}

type Part = string | ((values: SignedValues) => string | undefined)

/** A compiled `signs` template. */
interface SignedText {
  /** Undefined if a signed member is missing. */
  read(values: SignedValues): Signed | undefined
  /** The names in braces. */
  readonly names: readonly string[]
  /** The text after the ID, which no ID may contain. Empty if there is none. */
  readonly idDivider: string
}

/** Compiles e.g. `{timestamp}.{body}`. `{body}` is the exact bytes, and `{/a/b}` a member of the parsed body. */
function compileSignedText(template: string, url: string): SignedText {
  const tokens = [...template.matchAll(PART)].map(([text, name]) => ({ text, name }))
  const names = tokens.flatMap(({ name }) => name ?? [])
  const parts = tokens.map(({ text, name }) => (name === undefined ? text : placeholder(name, url)))
  const bodyAt = tokens.findIndex(({ name }) => name === 'body')
  const before = bodyAt < 0 ? parts : parts.slice(0, bodyAt)
  const after = bodyAt < 0 ? [] : parts.slice(bodyAt + 1)
  const follower = tokens[tokens.findIndex(({ name }) => name === 'id') + 1]
  return {
    names,
    idDivider: names.includes('id') && follower?.name === undefined ? (follower?.text ?? '') : '',
    read(values) {
      const texts = [join(before, values), join(after, values)] as const
      if (texts[0] === undefined || texts[1] === undefined) return undefined
      return { before: texts[0], body: bodyAt < 0 ? NO_BYTES : values.delivery.body, after: texts[1] }
    },
  }
}

function placeholder(name: string, url: string): Part {
  if (name === 'id') return ({ eventIdText }) => eventIdText
  if (name === 'timestamp') return ({ timestampText }) => timestampText
  if (name === 'method') return ({ delivery }) => delivery.method
  if (name === 'url') return url
  if (name === 'body') return ''
  const steps = pointerSteps(name)
  return (values) => {
    const text = textAt(values.parsed(), steps)
    return text === undefined || text.length > LONGEST_MEMBER ? undefined : byteText(encoder.encode(text))
  }
}

function join(parts: readonly Part[], values: SignedValues): string | undefined {
  let text = ''
  for (const part of parts) {
    const next = typeof part === 'string' ? part : part(values)
    if (next === undefined) return undefined
    text += next
  }
  return text
}

/** Concatenates the parts. Returns the body itself if it is the only part. */
export function signedBytes({ before, body, after }: Signed): Uint8Array {
  return before === '' && after === '' ? body : bytesOf(before, body, after)
}

/** Reconstructs the bytes that a signature may cover. */
interface SignedReader {
  /** Returns the candidates, most likely first. Undefined if a signed value is missing. */
  read(values: SignedValues): MaybePromise<readonly Signed[] | undefined>
  /** The names in the template's braces. */
  readonly names: readonly string[]
  readonly idDivider: string
}

export function signedReader(
  { signs, signedUrl = (url) => url }: Scheme,
  { publicUrl = '' }: SchemeOptions,
): SignedReader {
  if (typeof signs === 'string') {
    const { read, names, idDivider } = compileSignedText(signs, signedUrl(publicUrl))
    return {
      names,
      idDivider,
      read(values) {
        const signed = read(values)
        return signed && [signed]
      },
    }
  }
  return {
    names: ['body'],
    idDivider: '',
    read: (values) =>
      whenKnown(signs(signedRequest(values, publicUrl)), (signed) =>
        signed?.map((each) => ('before' in each ? each : { before: '', body: each, after: '' })),
      ),
  }
}

/** The view of a request that a scheme's own function gets. */
export function signedRequest(values: SignedValues, publicUrl: string): SchemeRequest {
  const { delivery } = values
  return {
    method: delivery.method,
    header: (name) => {
      const value = headerOf(delivery, name)
      return typeof value === 'string' ? value : undefined
    },
    list: (name) => fieldText(delivery, name),
    queryText: () => queryTextOf(delivery),
    body: delivery.body,
    publicUrl,
    payload: () => values.parsed(),
    fields: () => values.fields(),
  }
}
