import type { Json } from './json.ts'
import { decodeUtf8 } from './utf8.ts'

/**
 * Parses JSON text in UTF-8 (RFC 8259) without a byte order mark. Scalars, `__proto__` members and repeated members are
 * valid; `JSON.parse` keeps the last of the repeated ones.
 */
export function parseJson(bytes: Uint8Array): { readonly value: Json } | { readonly problem: string } {
  const text = decodeUtf8(bytes)
  if (text === undefined) return { problem: 'the body is not UTF-8' }
  try {
    return { value: JSON.parse(text) }
  } catch {
    // The engine's message quotes the body, so drop it.
    return { problem: text === '' ? 'the body is empty' : 'the body is not JSON' }
  }
}
