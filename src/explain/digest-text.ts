import { decodeHex, encodeBase64url } from '../lib/bytes.ts'

const DIGEST_BYTES = 32
const FORM = /^((?:v[0-9]+|sha256|hmac-sha256)[,=:])?\s*(.*)$/i

/** A signature in any encoding, and what is wrong with that encoding. */
export interface DigestText {
  /** Canonical base64url, as `hmacWith` writes it. */
  readonly canonical: string
  readonly faults: readonly string[]
}

/** Undefined unless the text encodes 32 bytes in a common encoding. */
export function readDigest(signature: string): DigestText | undefined {
  const [, prefix = '', text = ''] = FORM.exec(signature) ?? []
  const isHex = /^[0-9a-f]{64}$/i.test(text)
  if (!isHex && !/^[A-Za-z0-9_+/-]{43}=?$/.test(text)) return undefined
  const bytes = isHex ? decodeHex(text.toLowerCase()) : bytesOfBase64(text)
  if (bytes?.length !== DIGEST_BYTES) return undefined
  const faults = [
    prefix === '' ? '' : `it has the prefix ${prefix}`,
    isHex ? 'the digest is sent as hex, not base64url' : '',
    /[+/]/.test(text) ? 'the digest is sent as standard base64, not base64url' : '',
    text.endsWith('=') ? 'the digest is sent with padding (=)' : '',
  ]
  return { canonical: encodeBase64url(bytes), faults: faults.filter((fault) => fault !== '') }
}

/** Decodes leniently: either alphabet, padded or not, skipping stray characters. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const [digits = ''] = text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/=]/g, '')
    .split('=', 1)
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits
  return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0))
}
