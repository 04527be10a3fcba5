import { type Delivery, headerOf } from '../../src/delivery.ts'
import type { SignatureInput } from './signature-input.ts'

/** What the URL of a request is signed as (RFC 9421 2.2). It is the configured one. */
const DERIVED: { readonly [component: string]: (url: URL, publicUrl: string) => string } = {
  '@target-uri': (_, publicUrl) => publicUrl,
  '@authority': (url) => url.host,
  '@scheme': (url) => url.protocol.slice(0, -1),
  '@request-target': (url) => url.pathname + url.search,
  '@path': (url) => url.pathname,
  '@query': (url) => url.search || '?',
}

/**
 * The text that is signed (RFC 9421 2.5), each of whose characters is a byte. Undefined where a component is missing, came
 * more than once, or is not known here.
 */
export function signatureBase(
  { components = [], text }: SignatureInput,
  delivery: Delivery,
  publicUrl: string,
): string | undefined {
  const url = new URL(publicUrl)
  let base = ''
  for (const name of components) {
    const derived = Object.hasOwn(DERIVED, name) ? DERIVED[name]?.(url, publicUrl) : undefined
    const value = name === '@method' ? delivery.method : (derived ?? fieldOf(delivery, name))
    if (value === undefined) return undefined
    base += `"${name}": ${value}\n`
  }
  return `${base}"@signature-params": ${text}`
}

function fieldOf(delivery: Delivery, name: string): string | undefined {
  const value = name.startsWith('@') ? undefined : headerOf(delivery, name)
  return typeof value === 'string' ? value : undefined
}
