import { decodeUtf8 } from './utf8.ts'

/** Base64url without padding (RFC 4648 5), canonical only: one spelling for each byte string. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const WELL_FORMED = /^[A-Za-z0-9_-]*$/

/** Decoders ignore the bits a last character does not need, so several texts would mean the same bytes. */
export function isCanonicalBase64url(text: string): boolean {
  const rest = text.length % 4
  if (rest === 1 || !WELL_FORMED.test(text)) return false
  if (rest === 0) return true
  const last = ALPHABET.indexOf(text.charAt(text.length - 1))
  return (last & (rest === 2 ? 0b1111 : 0b11)) === 0
}

export function encodeBase64url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** The bytes of canonical text; undefined for any other. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  return isCanonicalBase64url(text) ? bytesOf(decodeBinary(text)) : undefined
}

/** The UTF-8 text behind canonical text, which the caller has made sure of; undefined where it is not UTF-8. */
export function decodeBase64urlText(text: string): string | undefined {
  const binary = decodeBinary(text)
  return NOT_ASCII.test(binary) ? decodeUtf8(bytesOf(binary)) : binary
}

const NOT_ASCII = /[\x80-\xff]/

/** A character for each byte, as `atob` gives them. */
function decodeBinary(text: string): string {
  return atob(text.replaceAll('-', '+').replaceAll('_', '/'))
}

function bytesOf(binary: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index)
  return bytes
}
