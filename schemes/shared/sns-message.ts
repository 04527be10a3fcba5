import type { RsaSignature } from '../../src/auth/remote-certificates.ts'
import { type Failure, fail } from '../../src/checks/check.ts'
import { decodeBase64 } from '../../src/lib/base64.ts'
import { memberAt } from '../../src/scheme/members.ts'

/** `https://sns.us-east-1.amazonaws.com`, `https://sns.cn-north-1.amazonaws.com.cn`. */
export const SNS_ORIGIN = 'https://sns\\.[a-z]{2}(?:-[a-z]+)+-[0-9]{1,2}\\.amazonaws\\.com(?:\\.cn)?'

const CERTIFICATE_URL: RegExp = /* @__PURE__ */ new RegExp(`^${SNS_ORIGIN}/[A-Za-z0-9-]{1,100}\\.pem$`)
const LONGEST_URL = 256

/** What Amazon signs of each type of message, in order. `Subject` may be absent. */
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
const encoder = new TextEncoder()

/** A signature to verify, and whose certificate to verify it by. */
export interface SnsSignature extends RsaSignature {
  /** On a host of SNS. */
  readonly certificateUrl: string
}

/** A text member of a message. */
export function textOf(message: unknown, name: string): string {
  const text = memberAt(message, [name])
  return typeof text === 'string' ? text : ''
}

/** What is to be verified of a message, as far as it can be told without its certificate. */
export function signatureOf(message: unknown): SnsSignature | Failure<'auth_missing' | 'signature_mismatch'> {
  const given = textOf(message, 'Signature')
  if (given === '') return fail('auth_missing', 'no Signature')
  const lines = signedLines(message)
  if (lines === undefined) return fail('signature_mismatch', 'the body is no message of SNS')
  const hash = HASHES.get(textOf(message, 'SignatureVersion'))
  if (hash === undefined) return fail('signature_mismatch', 'SignatureVersion is neither 1 nor 2')
  const certificateUrl = textOf(message, 'SigningCertURL')
  if (certificateUrl.length > LONGEST_URL || !CERTIFICATE_URL.test(certificateUrl)) {
    return fail('signature_mismatch', 'SigningCertURL is no certificate on a host of SNS')
  }
  const signature = decodeBase64(given)
  if (signature === undefined) return fail('signature_mismatch', 'Signature is not base64')
  return { certificateUrl, hash, signature, message: encoder.encode(lines) }
}

/** Each member's name and its value, a line each. Undefined for anything but a message. */
function signedLines(message: unknown): string | undefined {
  const names = SIGNED.get(textOf(message, 'Type'))
  let lines = ''
  for (const name of names ?? []) {
    const text = memberAt(message, [name])
    if (name === 'Subject' && text === undefined) continue
    // The message alone may hold line feeds. So the lines can be read in one way only.
    if (typeof text !== 'string' || (name !== 'Message' && text.includes('\n'))) return undefined
    lines += `${name}\n${text}\n`
  }
  return names && lines
}
