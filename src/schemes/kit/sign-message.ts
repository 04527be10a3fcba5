import { hmacWith, sha256 } from '#crypto'
import { encodeUtf8 } from '../../lib/bytes.ts'
import type { SignedParts, Unsigned } from './define-scheme.ts'

/** Signs an HTTP message with HMAC-SHA256. Covers the method, the URL, the content type and the body's digest. */
export async function signMessage({
  body,
  contentType,
  timestampText,
  need,
}: Unsigned): Promise<SignedParts> {
  const digest = `sha-256=:${await sha256(body, 'base64')}:`
  const parameters = `("@method" "@target-uri" "content-type" "content-digest");created=${timestampText};alg="hmac-sha256"`
  const base = [
    '"@method": POST',
    `"@target-uri": ${need('publicUrl')}`,
    `"content-type": ${contentType}`,
    `"content-digest": ${digest}`,
    `"@signature-params": ${parameters}`,
  ].join('\n')
  const mac = hmacWith('sha256', encodeUtf8(need('secret')), 'base64')
  return {
    headers: {
      'content-digest': digest,
      'signature-input': `sig1=${parameters}`,
      signature: `sig1=:${await mac(base, new Uint8Array(0), '')}:`,
    },
  }
}
