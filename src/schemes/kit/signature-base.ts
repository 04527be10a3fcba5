import type { UnreadDelivery } from '../../auth/evidence.ts'
import { bytesOf, encodeBase64, WIDE } from '../../lib/bytes.ts'
import type { Component, SignatureInput } from './signature-input.ts'
import { type UrlParts, urlParts, urlReader } from './signed-url.ts'

/** The components of the URL (RFC 9421 2.2). Only its query may be the request's own. */
const DERIVED: { readonly [component: string]: (url: URL, signed: UrlParts) => string } = {
  '@target-uri': (_, { base, query }) => base + query,
  '@authority': (url) => url.host,
  '@scheme': (url) => url.protocol.slice(0, -1),
  '@request-target': (url, { query }) => url.pathname + query,
  '@path': (url) => url.pathname,
  '@query': (_, { query }) => query || '?',
}
const WITH_QUERY = ['@target-uri', '@request-target', '@query', '@query-param']
const NO_BYTES: Uint8Array = /* @__PURE__ */ new Uint8Array(0)

/** Whether requests have a derived component of this name that needs no parameter. */
export function isDerived(name: string): boolean {
  return name === '@method' || Object.hasOwn(DERIVED, name)
}

/**
 * The signed text (RFC 9421 2.5), one character per byte, and the value of each component by its identifier. Or the component that
 * cannot be resolved, `because` of what its value is.
 */
export type SignatureBase =
  | { readonly text: string; readonly values: ReadonlyMap<string, string> }
  | Unresolved

interface Unresolved {
  readonly unknown: string
  readonly because?: string
}

/** Rebuilds the signed texts of a delivery. Fails if a component is missing or not supported, or if the request has another query. */
export function signatureBases(
  delivery: UnreadDelivery,
  publicUrl: string,
): (input: SignatureInput) => SignatureBase {
  const url = new URL(publicUrl)
  const requested = urlReader(publicUrl)(delivery)
  const signed = 'problem' in requested ? urlParts(publicUrl) : requested
  const queryParameter = queryParameters(signed)
  return ({ components = [], text }) => {
    const values = new Map<string, string>()
    let covered = ''
    for (const component of components) {
      const { identifier, name } = component
      if ('problem' in requested && WITH_QUERY.includes(name)) {
        return { unknown: identifier, because: requested.problem }
      }
      const value = resolve(component)
      if (value === undefined) return { unknown: identifier }
      if (typeof value === 'object') return value
      values.set(identifier, value)
      covered += `${identifier}: ${value}\n`
    }
    return { text: `${covered}"@signature-params": ${text}`, values }
  }

  function resolve(component: Component): string | undefined | Unresolved {
    const { name, parameters } = component
    if (!name.startsWith('@')) return fieldValue(component, delivery)
    if (name === '@query-param') return queryParameter(nameOf(parameters))
    if (parameters !== '') return undefined
    if (name === '@method') return delivery.method
    return isDerived(name) ? DERIVED[name]?.(url, signed) : undefined
  }
}

const QUERY_PARAM = /^;name="([^"]*)"$/

/** The name that the parameters of `@query-param` have. Undefined if they have none, or others. */
export function nameOf(parameters: string): string | undefined {
  return QUERY_PARAM.exec(parameters)?.[1]
}

/** A header field's lines, or with `;bs` the bytes of each (RFC 9421 2.1). An empty field is present. */
function fieldValue(
  { name, parameters, identifier }: Component,
  delivery: UnreadDelivery,
): string | undefined | Unresolved {
  if (parameters !== '' && parameters !== ';bs') return undefined
  const lines = linesOf(delivery, name)
  if (lines.length === 0) return undefined
  const text = lines.join(', ')
  const refused = (because: string) => ({ unknown: identifier, because })
  if (WIDE.test(text)) return refused('a signed header has a character above U+00FF, which is no byte')
  if (LINE_ENDS.test(text)) return refused('a signed header has a line break')
  if (parameters === '') return text
  if (delivery.joinsHeaders && text.includes(','))
    return refused(
      'a header signed as bytes (;bs) has a comma, and this host may have joined it from two lines',
    )
  return lines.map((line) => `:${encodeBase64(bytesOf(line, NO_BYTES, ''))}:`).join(', ')
}

const FOLD = /\r?\n(?=[ \t])/
const LINE_ENDS = /[\0\r\n]/

/**
 * Each line without blanks around it, and without obsolete folding (RFC 9110 5.5). A host that has joined the lines has done so
 * already, and an adapter may have split the result within a line. A host that looks headers up in an object may find an inherited
 * member, which is no line.
 */
function linesOf(delivery: UnreadDelivery, name: string): readonly string[] {
  const field = delivery.header(name)
  const lines = typeof field === 'string' ? [field] : Array.isArray(field) ? field : []
  if (delivery.joinsHeaders) return lines.length > 0 ? [lines.join(', ')] : []
  return lines.map((line) => line.split(FOLD).map(withoutBlanks).join(' '))
}

/** Not `trim`, which removes a no-break space too, and no regular expression, which takes quadratic time. */
function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length]
  while (isBlank(text.charAt(start))) start += 1
  while (end > start && isBlank(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}

const isBlank = (character: string) => character === ' ' || character === '\t'

/**
 * Finds a query parameter, encoded as in RFC 9421 2.2.8. Undefined if it is missing or repeated. Parses the query once, because a
 * stranger may name hundreds of its thousands of parameters.
 */
export function queryParameters({ query }: UrlParts): (name: string | undefined) => string | undefined {
  let values: Map<string | undefined, string | undefined> | undefined
  return (name) => {
    if (values === undefined) {
      values = new Map()
      for (const [each, value] of new URLSearchParams(query)) {
        const encoded = encodeQuery(each)
        values.set(encoded, values.has(encoded) ? undefined : value)
      }
    }
    const value = values.get(name)
    return value === undefined ? undefined : encodeQuery(value)
  }
}

/** As RFC 9421 2.2.8 writes names and values. */
export function encodeQuery(text: string): string {
  return `${new URLSearchParams([['', text]])}`.slice(1).replaceAll('+', '%20')
}
