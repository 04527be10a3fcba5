import { hkdfSync } from 'node:crypto'

/** 256 bits for one purpose, by HKDF-SHA-256 (RFC 5869). Keys of different purposes tell nothing about one another. */
export function derivedKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `hookgate-service ${purpose}`, 32))
}
