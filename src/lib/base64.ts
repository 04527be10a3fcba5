import { decodeBase64url } from './base64url.ts'

const PADDED = /^[A-Za-z0-9+/]*={0,2}$/

/** Engines limit how many arguments a call may have: some to 65,536. A spread would copy them one by one. */
const CHUNK_BYTES = 8192

/** Encodes base64 with padding (RFC 4648 4). */
export function encodeBase64(bytes: Uint8Array & { toBase64?: (() => string) | undefined }): string {
  if (bytes.toBase64 !== undefined) return bytes.toBase64() // the engine's own, where it has one
  let binary = ''
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    binary += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(start, start + CHUNK_BYTES))
  }
  return btoa(binary)
}

/** Decodes padded, canonical base64. Undefined for any other text. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0 || !PADDED.test(text)) return undefined
  return decodeBase64url(text.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_'))
}
