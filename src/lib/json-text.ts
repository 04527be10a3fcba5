import type { Json } from './json.ts'
import { decodeUtf8 } from './utf8.ts'

/**
 * The value of a JSON text in UTF-8 (RFC 8259) without a byte order mark, or what is wrong with it. Scalars, `__proto__`
 * members and repeated members are valid: of the last kind `JSON.parse` keeps the last one.
 */
export function parseJson(bytes: Uint8Array): { readonly value: Json } | { readonly problem: string } {
  const text = decodeUtf8(bytes)
  if (text === undefined) return { problem: 'the body is not UTF-8' }
  try {
    return { value: JSON.parse(text) }
  } catch {
    // The engine's message quotes the body, so it is not passed on.
    return { problem: text === '' ? 'the body is empty' : 'the body is not JSON' }
  }
}
