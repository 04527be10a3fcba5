/** Base64url without padding (RFC 4648 5), canonical only: one text per byte string. */

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

export function encodeBase64url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Decodes canonical text. Undefined for any other. `crypto/node.ts` has a faster version. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!isCanonical(text)) return undefined
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index)
  return bytes
}
