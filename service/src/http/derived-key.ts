import { hkdfSync } from 'node:crypto'

/** Derives a 256-bit key for one purpose, by HKDF-SHA-256 (RFC 5869). Keys of different purposes are independent. */
export function derivedKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `hookgate-service ${purpose}`, 32))
}
