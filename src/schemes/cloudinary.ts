import { hashWith } from '#crypto'
import { namedSecrets, secretText } from '../auth/secrets.ts'
import { byteText, encodeUtf8 } from '../lib/bytes.ts'
import type { HashedBytes } from '../lib/unread.ts'
import { fitsNone, mismatch } from '../reason.ts'
import {
  type CodeScheme,
  type CodeSchemeFactory,
  defineCodeScheme,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
} from './kit/define-scheme.ts'
import { signerOf } from './kit/keys.ts'
import { signatureReader } from './kit/signatures.ts'

const SHA256_DIGITS = 64

/** In hex. */
async function hashOf(
  algorithm: 'sha1' | 'sha256',
  body: HashedBytes,
  timestamp: string,
  secret: string,
  times?: number,
): Promise<string> {
  return hashWith(algorithm, 'hex')('', body, byteText(encodeUtf8(timestamp + secret)), times)
}

const CLOUDINARY: CodeScheme = {
  name: 'cloudinary',
  sender: 'Cloudinary',
  secretName: 'API secret of the key that signs notifications',
  secretMadeBy: 'sender',
  algorithm: 'code',
  signature: { headers: ['x-cld-signature'] },
  signs: ['body', 'timestamp'],
  covers: 'body',
  timestamp: { header: 'x-cld-timestamp', unit: 'seconds', of: 'attempt', toleranceSeconds: 7200 },
  eventType: { member: '/notification_type' },
  maxBodyBytes: 1_048_576,
  async sign({ body, timestampText, need }) {
    const signature = await hashOf('sha1', body, timestampText, need('secret'))
    return { headers: { 'x-cld-signature': signature } }
  },
  facts: { unsigned: false, weakBy: 'plain-hash' },
  limits:
    'The URL and the other headers are not signed. Body, time and secret are joined without a separator. The signature is a plain hash, SHA-1 by default.',
}

/**
 * Verifies webhooks from Cloudinary by their `X-Cld-Signature` header. The key is an API secret, in the console under API
 * Keys. It belongs to the key that you chose for webhooks, or else to the oldest active key. The signature is not an HMAC but
 * a plain hash of body, time and secret. The hash is SHA-1, or SHA-256 if your account is set to it. There is no ID, so the
 * signed bytes are claimed.
 *
 * @example
 * ```ts
 * const auth = cloudinary({ secrets: process.env.CLOUDINARY_API_SECRET })
 * ```
 */
export const cloudinary: CodeSchemeFactory<SharedSecretOptions, '/notification_type'> = defineCodeScheme(
  CLOUDINARY,
  SHARED_SECRET_OPTIONS,
  ({ secrets }, authBy) => {
    const known = namedSecrets(secrets, 'secrets', secretText)
    const signatureOf = signatureReader(CLOUDINARY.signature)
    return async (evidence) => {
      const signatures = signatureOf(evidence)
      if ('reason' in signatures) return signatures
      const [signature = ''] = signatures
      const { bytes, timestampText } = evidence
      const algorithm = signature.length === SHA256_DIGITS ? 'sha256' : 'sha1'
      const keys = known.map(({ id, secret }) => ({
        id,
        mac: () => hashOf(algorithm, bytes, timestampText, secret, known.length),
      }))
      const signer = await signerOf(keys, signature, bytes)
      if (signer === undefined) return mismatch(fitsNone(keys.length))
      evidence.signed = { before: '', body: bytes, after: timestampText }
      return authBy(signer)
    }
  },
)
