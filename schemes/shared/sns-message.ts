import type { RsaSignature } from '../../src/auth/remote-certificates.ts'
import { decodeBase64 } from '../../src/lib/bytes.ts'
import { memberAt } from '../../src/lib/json.ts'
import { type Failure, fail } from '../../src/reason.ts'

/** E.g. `https://sns.us-east-1.amazonaws.com` or `https://sns.cn-north-1.amazonaws.com.cn`. */
export const SNS_ORIGIN = 'https://sns\\.[a-z]{2}(?:-[a-z]+)+-[0-9]{1,2}\\.amazonaws\\.com(?:\\.cn)?'

const CERTIFICATE_URL: RegExp = /* @__PURE__ */ new RegExp(`^${SNS_ORIGIN}/[A-Za-z0-9-]{1,100}\\.pem$`)
const LONGEST_URL = 256
/** In base64. The largest RSA keys that are used have 8,192 bits. */
const LONGEST_SIGNATURE = 1368

/** The members that Amazon signs in each type of message, in order. `Subject` is optional. */
const CONTROL = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
const SIGNED: ReadonlyMap<string, readonly string[]> = /* @__PURE__ */ new Map([
  ['Notification', ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', CONTROL],
  ['UnsubscribeConfirmation', CONTROL],
])
const HASHES: ReadonlyMap<string, RsaSignature['hash']> = /* @__PURE__ */ new Map([
  ['1', 'SHA-1'],
  ['2', 'SHA-256'],
])

/** A signature, and the certificate to verify it with. */
export interface SnsSignature extends Omit<RsaSignature, 'message'> {
  /** Pinned to an SNS host. */
  readonly certificateUrl: string
  /** As large as the body. */
  readonly signedText: string
}

/** Whether this is the URL of a certificate on an SNS host. */
export function isCertificateUrl(url: string): boolean {
  return url.length <= LONGEST_URL && CERTIFICATE_URL.test(url)
}

/** A string member of a message, or an empty string. */
export function textOf(message: unknown, name: string): string {
  const text = memberAt(message, [name])
  return typeof text === 'string' ? text : ''
}

/** Reads the signature of a message. Refuses what can be refused without the certificate. */
export function signatureOf(message: unknown): SnsSignature | Failure<'auth_missing' | 'signature_mismatch'> {
  const given = textOf(message, 'Signature')
  if (given === '') return fail('auth_missing', 'no Signature')
  const signedText = signedTextOf(message)
  if (signedText === undefined) return fail('signature_mismatch', 'the body is not an SNS message')
  const hash = HASHES.get(textOf(message, 'SignatureVersion'))
  if (hash === undefined) return fail('signature_mismatch', 'SignatureVersion is neither 1 nor 2')
  const certificateUrl = textOf(message, 'SigningCertURL')
  if (!isCertificateUrl(certificateUrl)) {
    return fail('signature_mismatch', 'SigningCertURL is not the URL of a certificate on an SNS host')
  }
  const signature = given.length > LONGEST_SIGNATURE ? undefined : decodeBase64(given)
  if (signature === undefined) return fail('signature_mismatch', 'Signature is too long, or not base64')
  return { certificateUrl, hash, signature, signedText }
}

/** Each member's name and value, one per line. Undefined if this is not an SNS message. */
export function signedTextOf(message: unknown): string | undefined {
  const names = SIGNED.get(textOf(message, 'Type'))
  let lines = ''
  for (const name of names ?? []) {
    const text = memberAt(message, [name])
    if (name === 'Subject' && text === undefined) continue
    // Only `Message` may contain line feeds, so that the text is unambiguous.
    if (typeof text !== 'string' || (name !== 'Message' && text.includes('\n'))) return undefined
    lines += `${name}\n${text}\n`
  }
  return names && lines
}
