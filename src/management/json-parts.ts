/**
 * Reads values of a JSON text as they are written: a number keeps all of its digits, and a body the spelling that was signed. The text must
 * have been parsed before.
 */
import { decodeUtf8 } from '../lib/bytes.ts'
import { type Json, pointerSteps } from '../lib/json.ts'
import { endOfString } from '../lib/json-members.ts'

const [QUOTE, COLON, COMMA] = [0x22, 0x3a, 0x2c]

/** The members of an object by name, which may come twice, or the elements of a list by index. None for other values. */
export function* partsOf(json: Uint8Array): Generator<readonly [name: string, part: Uint8Array]> {
  let depth = 0
  let start = 0
  let name: string | undefined
  let count = 0
  for (let at = 0; at < json.length; at += 1) {
    const code = json[at] ?? 0
    if (code === QUOTE) at = endOfString(json, at + 1)
    else if (opens(code)) {
      depth += 1
      if (depth === 1) start = at + 1
    } else if (code === COLON && depth === 1) {
      name = String(parsed(json.subarray(start, at)))
      start = at + 1
    } else {
      if (closes(code)) depth -= 1
      if (!(code === COMMA && depth === 1) && !(closes(code) && depth === 0)) continue
      const part = trimmed(json.subarray(start, at))
      if (part.length > 0) yield [name ?? `${count}`, part]
      count += 1
      start = at + 1
    }
  }
}

/** The value at a JSON pointer (RFC 6901), as it is written. Of members of one name, the last counts. */
export function partAt(json: Uint8Array, pointer: string): Uint8Array | undefined {
  let found: Uint8Array | undefined = json
  for (const step of pointerSteps(pointer)) found = found && lastOf(found, step)
  return found
}

/** Holds one part at a time: an answer may have millions. */
function lastOf(json: Uint8Array, wanted: string): Uint8Array | undefined {
  let found: Uint8Array | undefined
  for (const [name, part] of partsOf(json)) if (name === wanted) found = part
  return found
}

/** The parsed value at a JSON pointer. */
export function valueAt(json: Uint8Array, pointer: string): Json | undefined {
  const part = partAt(json, pointer)
  return part && parsed(part)
}

/** A string at a JSON pointer, or the digits of a number. Empty for anything else. */
export function textAt(json: Uint8Array, pointer: string): string {
  const part = partAt(json, pointer)
  const value = part && parsed(part)
  if (typeof value === 'string') return value
  return typeof value === 'number' ? (decodeUtf8(part ?? json) ?? '') : ''
}

/** The same JSON without white space between its values, and with each string literal written by `write`. */
export function respelt(json: Uint8Array, write: (literal: string) => string): string {
  let text = ''
  let start = 0
  const plain = (end: number) => (decodeUtf8(json.subarray(start, end)) ?? '').replace(/\s+/g, '')
  for (let at = 0; at < json.length; at += 1) {
    if (json[at] !== QUOTE) continue
    const end = endOfString(json, at + 1) + 1
    text += plain(at) + write(decodeUtf8(json.subarray(at, end)) ?? '')
    start = end
    at = end - 1
  }
  return text + plain(json.length)
}

const parsed = (json: Uint8Array): Json => JSON.parse(decodeUtf8(json) ?? '')

const opens = (code: number) => (code | 0x20) === 0x7b
const closes = (code: number) => (code | 0x20) === 0x7d

function trimmed(json: Uint8Array): Uint8Array {
  let [start, end] = [0, json.length]
  while (start < end && (json[start] ?? 0) <= 0x20) start += 1
  while (start < end && (json[end - 1] ?? 0) <= 0x20) end -= 1
  return json.subarray(start, end)
}
