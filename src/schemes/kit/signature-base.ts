import { type Delivery, fieldText, headerOf } from '../../delivery.ts'
import { encodeBase64 } from '../../lib/bytes.ts'
import type { Component, SignatureInput } from './signature-input.ts'
import { type UrlParts, urlParts, urlReader, urlText } from './signed-url.ts'

/** The components of the URL (RFC 9421 2.2). Only its query may be the request's own. */
const DERIVED: { readonly [component: string]: (url: URL, signed: UrlParts) => string } = {
  '@target-uri': (_, signed) => urlText(signed),
  '@authority': (url) => url.host,
  '@scheme': (url) => url.protocol.slice(0, -1),
  '@request-target': (url, { query }) => url.pathname + query,
  '@path': (url) => url.pathname,
  '@query': (_, { query }) => query || '?',
}
const WITH_QUERY = ['@target-uri', '@request-target', '@query', '@query-param']

/**
 * The signed text (RFC 9421 2.5), one character per byte, and its part without `@signature-params`. Or the component that
 * cannot be resolved, `because` the request's query cannot be the signed one.
 */
export type SignatureBase =
  | { readonly text: string; readonly covered: string }
  | { readonly unknown: string; readonly because?: string }

/** Rebuilds the signed texts of a delivery. Fails if a component is missing or not supported, or if the request has another query. */
export function signatureBases(
  delivery: Delivery,
  publicUrl: string,
): (input: SignatureInput) => SignatureBase {
  const url = new URL(publicUrl)
  const requested = urlReader(publicUrl)(delivery)
  const signed = 'problem' in requested ? urlParts(publicUrl) : requested
  const queryParameter = queryParameters(signed)
  return ({ components = [], text }) => {
    let covered = ''
    for (const component of components) {
      if ('problem' in requested && WITH_QUERY.includes(component.name)) {
        return { unknown: component.identifier, because: requested.problem }
      }
      const value =
        component.name === '@query-param'
          ? queryParameter(component.parameters.get('name'))
          : componentValue(component, delivery, url, signed)
      if (value === undefined) return { unknown: component.identifier }
      covered += `${component.identifier}: ${value}\n`
    }
    return { text: `${covered}"@signature-params": ${text}`, covered }
  }
}

function componentValue(
  { name, parameters }: Component,
  delivery: Delivery,
  url: URL,
  signed: UrlParts,
): string | undefined {
  const field = name.startsWith('@') ? undefined : headerOf(delivery, name)
  if (parameters.get('bs') === '' && typeof field === 'string')
    return `:${encodeBase64(bytesOfField(field))}:`
  if (parameters.size > 0) return undefined
  if (name === '@method') return delivery.method
  if (Object.hasOwn(DERIVED, name)) return DERIVED[name]?.(url, signed)
  return field === undefined ? undefined : fieldText(delivery, name)
}

/** Header values have one character per byte. */
function bytesOfField(field: string): Uint8Array {
  return Uint8Array.from(field, (character) => character.charCodeAt(0))
}

/**
 * Finds a query parameter, encoded as in RFC 9421 2.2.8. Undefined if it is missing or repeated. Parses the query once, because a
 * stranger may name hundreds of its thousands of parameters.
 */
function queryParameters({ query }: UrlParts): (name: string | undefined) => string | undefined {
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

function encodeQuery(text: string): string {
  return `${new URLSearchParams([['', text]])}`.slice(1).replaceAll('+', '%20')
}
