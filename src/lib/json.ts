import { decodeUtf8 } from './bytes.ts'

/** Any result of `JSON.parse`. Numbers are doubles: `1e400` is Infinity, and long integers are rounded. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json }

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

/**
 * Counts the top-level members of a JSON object's text, repeated names included. `JSON.parse` keeps only the last of them,
 * so a higher count reveals duplicates. The text must be valid JSON.
 */
export function countMembers(text: string): number {
  let count = 0
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (inString && code === 0x5c /* \ */) index += 1
    else if (code === 0x22 /* " */) inString = !inString
    else if (inString) continue
    else if (code === 0x3a /* : */ && depth === 1) count += 1
    // `{` and `[` are 0x7b and 0x5b, `}` and `]` are 0x7d and 0x5d: each pair differs only in bit 0x20.
    else if ((code | 0x20) === 0x7b) depth += 1
    else if ((code | 0x20) === 0x7d) depth -= 1
  }
  return count
}

/** Splits a JSON pointer (RFC 6901): `/data/id` becomes `data`, `id`. */
export function pointerSteps(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Finds the value at the end of the path. Ignores inherited properties. */
export function memberAt(payload: unknown, steps: readonly string[]): Json | undefined {
  let found: unknown = payload
  for (const step of steps) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = Reflect.get(found, step)
  }
  return found as Json // a value within a parsed body
}

/** Returns a string member, or a safe integer as text. Undefined for other types. */
export function textAt(payload: unknown, steps: readonly string[]): string | undefined {
  const member = memberAt(payload, steps)
  if (typeof member === 'string') return member
  return Number.isSafeInteger(member) ? `${member}` : undefined
}
