import { memberOf } from './member-of.ts'
import { joinChunks } from './read-stream.ts'

/** Whether a value is an array of bytes, of any realm: test runners and sandboxes pass those of another one. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && memberOf(value, 'BYTES_PER_ELEMENT') === 1
}

/** Concatenates any number of parts. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return joinChunks(parts, length)
}

/** Concatenates three parts. Each character of `before` and `after` is one byte. */
export function bytesOf(before: string, body: Uint8Array, after: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(before.length + body.length + after.length)
  writeParts(bytes, before, body, after)
  return bytes
}

/** The same, into bytes that have room for it. */
export function writeParts(bytes: Uint8Array, before: string, body: Uint8Array, after: string): void {
  setText(bytes, before, 0)
  bytes.set(body, before.length)
  setText(bytes, after, before.length + body.length)
}

function setText(bytes: Uint8Array, text: string, start: number): void {
  for (let index = 0; index < text.length; index += 1) bytes[start + index] = text.charCodeAt(index)
}

/** A character that is no byte. A host that decodes headers as UTF-8 may report some, which `bytesOf` would cut to those of another text. */
export const WIDE: RegExp = /[\u0100-\uffff]/

/** `ignoreBOM: true` keeps the byte order mark in the text, so that the JSON parser refuses it. */
const DECODER = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8, and keeps a byte order mark. Undefined if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return DECODER.decode(bytes)
  } catch {
    return undefined
  }
}

const encoder = /* @__PURE__ */ new TextEncoder()

/** Encodes UTF-8. Half a surrogate pair, which has none, becomes U+FFFD. */
export const encodeUtf8 = (text?: string): Uint8Array<ArrayBuffer> => encoder.encode(text)

/**
 * The bytes to hash a text by: its UTF-8. Half a surrogate pair, which has no UTF-8, becomes three bytes that are in no UTF-8, so that
 * no two texts share their bytes (WTF-8, `surrogatepass` in Python).
 */
export function textBytes(text: string): Uint8Array<ArrayBuffer> {
  if (text.isWellFormed()) return encoder.encode(text)
  return Uint8Array.from(Array.from(text, pointBytes).flat())
}

function pointBytes(character: string): number[] {
  const unit = character.charCodeAt(0)
  if (character.isWellFormed()) return [...encoder.encode(character)]
  return [0xed, 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]
}

const HEX = /^(?:[0-9a-f]{2})*$/

/** Encodes lower-case hex. */
export function encodeHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += (256 + byte).toString(16).slice(1)
  return text
}

/** Decodes lower-case hex. Undefined for any other text. */
export function decodeHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!HEX.test(text)) return undefined
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(index * 2, index * 2 + 2), 16),
  )
}

const PADDED = /^[A-Za-z0-9+/]*={0,2}$/

/** Engines limit how many arguments a call may have: some to 65,536. A spread would copy them one by one. */
const CHUNK_BYTES = 8192

/** Encodes base64 with padding (RFC 4648 4). */
export function encodeBase64(bytes: Uint8Array & { toBase64?: (() => string) | undefined }): string {
  return bytes.toBase64?.() ?? btoa(byteText(bytes)) // the engine's own, where it has one
}

/** A text with one character per byte. */
export function byteText(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(start, start + CHUNK_BYTES))
  }
  return text
}

/** Decodes padded, canonical base64. Undefined for any other text. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0 || !PADDED.test(text)) return undefined
  return decodeBase64url(text.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_'))
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const WELL_FORMED = /^[A-Za-z0-9_-]*$/

/** Decoders ignore the unused bits of the last character, so several texts would decode to the same bytes. */
function isCanonical(text: string): boolean {
  const rest = text.length % 4
  if (rest === 1 || !WELL_FORMED.test(text)) return false
  if (rest === 0) return true
  const last = ALPHABET.indexOf(text.slice(-1))
  return (last & (rest === 2 ? 0b1111 : 0b11)) === 0
}

/** Encodes base64url without padding (RFC 4648 5). */
export function encodeBase64url(bytes: Uint8Array): string {
  return btoa(byteText(bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Decodes canonical base64url without padding. Undefined for any other text. `crypto/node.ts` has a faster version. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!isCanonical(text)) return undefined
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index)
  return bytes
}

/** The encoders by the name of the encoding. */
export const ENCODE: Readonly<
  Record<'hex' | 'upper-case-hex' | 'base64' | 'base64url', (bytes: Uint8Array) => string>
> = {
  hex: encodeHex,
  'upper-case-hex': (bytes) => encodeHex(bytes).toUpperCase(),
  base64: encodeBase64,
  base64url: encodeBase64url,
}
