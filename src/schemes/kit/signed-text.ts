import type { Evidence } from '../../auth/evidence.ts'
import type { SenderScheme } from '../../code-scheme.ts'
import type { Signed, SignedBody } from '../../crypto/algorithms.ts'
import { type Delivery, fieldText, headerOf, queryTextOf } from '../../delivery.ts'
import type { SchemeRequest } from '../../scheme.ts'

const NO_BYTES = new Uint8Array(0)
const PART = /\{([^{}]+)\}|[^{}]+/g

/** The values of a delivery that a template can name. */
export type SignedValues = Pick<
  Evidence,
  'timestampText' | 'eventIdText' | 'delivery' | 'bytes' | 'parsed' | 'fields' | 'text' | 'refuse'
>

/** The names of the signed values. A function may sign any, and always signs the body. */
export function signedNames({ algorithm, signs }: SenderScheme): readonly string[] {
  if (algorithm === 'code') return signs
  return typeof signs === 'string' ? [...signs.matchAll(PART)].flatMap(([, name]) => name ?? []) : ['body']
}

/** The text after the ID in the template, which no ID may contain. Empty if there is none. */
export function idDividerOf({ signs }: SenderScheme): string {
  return (typeof signs === 'string' && /\{id\}([^{}]+)/.exec(signs)?.[1]) || ''
}

/** Reads `{url}`. Undefined if the request's URL is not the signed one. */
export type UrlText = (values: SignedValues) => string | undefined

/** Compiles the reader of a member that a template names. Undefined if it, or a part of it, is missing. */
export type MemberText = (pointer: string) => (values: SignedValues) => string | undefined

/** Compiles e.g. `{timestamp}.{body}`. `{body}` is the exact bytes, and `{/a/b}` a member of the parsed body. */
export function templateReader(
  template: string,
  urlOf: UrlText | undefined,
  memberText?: MemberText,
): (values: SignedValues) => Signed | undefined {
  const [start = '', ...rest] = template.split('{body}')
  const readBefore = textReader(start, urlOf, memberText)
  const readAfter = textReader(rest.join(''), urlOf, memberText)
  return (values) => {
    const [before, after] = [readBefore(values), readAfter(values)]
    if (before === undefined || after === undefined) return undefined
    return { before, body: rest.length === 0 ? NO_BYTES : values.bytes, after }
  }
}

type Part = string | ((values: SignedValues) => string | undefined)

/** Undefined if a signed member is missing. */
function textReader(
  template: string,
  urlOf: UrlText | undefined,
  memberText: MemberText | undefined,
): (values: SignedValues) => string | undefined {
  const parts = Array.from(template.matchAll(PART), ([text, name]) =>
    name === undefined ? text : placeholder(name, urlOf, memberText),
  )
  return (values) => {
    let text = ''
    for (const part of parts) {
      const next = typeof part === 'string' ? part : part(values)
      if (next === undefined) return undefined
      text += next
    }
    return text
  }
}

function placeholder(name: string, urlOf: UrlText | undefined, memberText: MemberText | undefined): Part {
  // Signed as bytes, one a character. A host that decodes headers as UTF-8 may report others.
  if (name === 'id') return ({ eventIdText: id }) => (/[^ -\xff]/.test(id) ? undefined : id)
  if (name === 'timestamp') return ({ timestampText }) => timestampText
  if (name === 'method') return ({ delivery }) => delivery.method
  return (name === 'url' ? urlOf : memberText?.(name)) ?? (() => undefined)
}

/** What the signature covered, which a scheme sets during authentication, or else the body. `prefix` goes before it. */
export function signedBytes(
  { signed, delivery }: { readonly signed: Signed | undefined; readonly delivery: Delivery },
  prefix = '',
): SignedBody | Signed {
  const { before, body, after } = signed ?? { before: '', body: delivery.body, after: '' }
  return prefix + before + after === '' ? body : { before: prefix + before, body, after }
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
    url: delivery.url,
    refuse: (detail) => values.refuse?.(detail),
    body: values.bytes,
    text: (mostBytes) => values.text(mostBytes),
    publicUrl,
    payload: () => values.parsed(),
    fields: () => values.fields(),
  }
}
