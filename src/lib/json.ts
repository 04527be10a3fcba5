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

/** In UTF-16 code units. */
const LONGEST_SIGNED = 4096

/**
 * Reads a member that is signed: a string, or a safe integer as text. Undefined if it, or what would hold it, is missing or null. Anything
 * else is refused, because a value that is signed as if it were absent could be added to any genuine delivery.
 */
export function signedMember(
  payload: unknown,
  steps: readonly string[],
  longest: number = LONGEST_SIGNED,
): string | undefined | { readonly problem: string } {
  const refused = (problem: string) => ({ problem: `${steps.join('/')} ${problem}` })
  let member: unknown = payload
  for (const step of steps) {
    if (member === undefined || member === null) return undefined
    if (typeof member !== 'object' || (Array.isArray(member) && !/^[0-9]+$/.test(step))) {
      return refused('is in a value of another type')
    }
    member = Object.hasOwn(member, step) ? Reflect.get(member, step) : undefined
  }
  if (member === undefined || member === null) return undefined
  if (Number.isSafeInteger(member)) return `${member}`
  if (typeof member !== 'string' && !Number.isNaN(member))
    return refused('is neither a string nor an integer')
  if (typeof member !== 'string' || member.length > longest) return refused(`is over ${longest} characters`)
  // Half a surrogate pair has no UTF-8: it would be signed like the U+FFFD that replaces it.
  return member.isWellFormed() ? member : refused('is not well-formed text')
}

/** Returns a string member, or a safe integer as text. Undefined for other types. */
export function textAt(payload: unknown, steps: readonly string[]): string | undefined {
  const member = memberAt(payload, steps)
  if (typeof member === 'string') return member
  return Number.isSafeInteger(member) ? `${member}` : undefined
}

/** What begins or ends a string in a JSON text, what is escaped in one, and numbers. */
const TOKEN = /\\.|"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g
const LONG_INTEGER = /^-?[0-9]{16,}$/

/**
 * Like `textAt`, of a JSON text: an integer beyond 2^53, which `JSON.parse` rounds, keeps its digits. Undefined if the text is not
 * JSON too. Parses all of it, so call it only for a body whose sender is known.
 */
export function exactTextAt(json: Uint8Array, steps: readonly string[]): string | undefined {
  let isInString = false
  const exact = decodeUtf8(json)?.replaceAll(TOKEN, (token) => {
    if (token === '"') isInString = !isInString
    return !isInString && LONG_INTEGER.test(token) ? `"${token}"` : token
  })
  try {
    return textAt(JSON.parse(exact ?? ''), steps)
  } catch {
    return undefined
  }
}
