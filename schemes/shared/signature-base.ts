import { type Delivery, fieldText, headerOf } from '../../src/delivery.ts'
import { encodeBase64 } from '../../src/lib/bytes.ts'
import type { Component, SignatureInput } from './signature-input.ts'

/** The components of the configured URL (RFC 9421 2.2). The request's own URL is never used. */
const DERIVED: { readonly [component: string]: (url: URL, publicUrl: string) => string } = {
  '@target-uri': (_, publicUrl) => publicUrl,
  '@authority': (url) => url.host,
  '@scheme': (url) => url.protocol.slice(0, -1),
  '@request-target': (url) => url.pathname + url.search,
  '@path': (url) => url.pathname,
  '@query': (url) => url.search || '?',
}

/**
 * The signed text (RFC 9421 2.5), one character per byte, and its part without `@signature-params`. Or the component that
 * cannot be resolved.
 */
export type SignatureBase = { readonly text: string; readonly covered: string } | { readonly unknown: string }

/** Rebuilds the signed text. Fails if a component is missing or not supported. */
export function signatureBase(
  { components = [], text }: SignatureInput,
  delivery: Delivery,
  publicUrl: string,
): SignatureBase {
  const url = new URL(publicUrl)
  let covered = ''
  for (const component of components) {
    const value = componentValue(component, delivery, url, publicUrl)
    if (value === undefined) return { unknown: component.identifier }
    covered += `${component.identifier}: ${value}\n`
  }
  return { text: `${covered}"@signature-params": ${text}`, covered }
}

function componentValue(
  { name, parameters }: Component,
  delivery: Delivery,
  url: URL,
  publicUrl: string,
): string | undefined {
  if (name === '@query-param') return queryParameter(url, parameters.get('name'))
  const field = name.startsWith('@') ? undefined : headerOf(delivery, name)
  if (parameters.get('bs') === '' && typeof field === 'string')
    return `:${encodeBase64(bytesOfField(field))}:`
  if (parameters.size > 0) return undefined
  if (name === '@method') return delivery.method
  if (Object.hasOwn(DERIVED, name)) return DERIVED[name]?.(url, publicUrl)
  return field === undefined ? undefined : fieldText(delivery, name)
}

/** Header values have one character per byte. */
function bytesOfField(field: string): Uint8Array {
  return Uint8Array.from(field, (character) => character.charCodeAt(0))
}

/** A query parameter, encoded as in RFC 9421 2.2.8. Undefined if it is missing or repeated. */
function queryParameter({ searchParams }: URL, name: string | undefined): string | undefined {
  const [value, another] = [...searchParams].filter(([each]) => encodeQuery(each) === name)
  return value && !another ? encodeQuery(value[1]) : undefined
}

function encodeQuery(text: string): string {
  return `${new URLSearchParams([['', text]])}`.slice(1).replaceAll('+', '%20')
}
