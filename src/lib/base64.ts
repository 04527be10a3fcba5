import { decodeBase64url, encodeBase64url } from './base64url.ts'

const PADDED = /^[A-Za-z0-9+/]*={0,2}$/

/** Encodes base64 with padding (RFC 4648 4). */
export function encodeBase64(bytes: Uint8Array): string {
  const text = encodeBase64url(bytes).replaceAll('-', '+').replaceAll('_', '/')
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=')
}

/** Decodes padded, canonical base64. Undefined for any other text. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0 || !PADDED.test(text)) return undefined
  return decodeBase64url(text.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_'))
}
