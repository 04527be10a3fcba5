import { decodeBase64 } from '../lib/base64.ts'
import { decodeHex } from '../lib/hex.ts'
import type { KeyForm } from './scheme.ts'

const encoder = new TextEncoder()
const FEWEST_BYTES = 24
const MOST_BYTES = 64

/** Decodes a secret into a key, or returns the problem. */
export function keyBytes(form: KeyForm, secret: string): Uint8Array<ArrayBuffer> | string {
  if (form === 'text') return encoder.encode(secret)
  if (form === 'hex') return decodeHex(secret.toLowerCase()) ?? 'must be hex'
  if (form === 'base64') return decodeBase64(secret) ?? 'must be base64'
  const prefix = form.base64After
  const bytes = decodeBase64(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret)
  if (bytes === undefined) return `must be ${prefix} followed by base64, as the sender shows it`
  return bytes.length < FEWEST_BYTES || bytes.length > MOST_BYTES
    ? `must encode ${FEWEST_BYTES} to ${MOST_BYTES} bytes, not ${bytes.length}`
    : bytes
}
