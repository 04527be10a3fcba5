import type { RsaSignature } from '../../auth/remote-certificates.ts'
import { decodeBase64, encodeUtf8 } from '../../lib/bytes.ts'
import { memberAt, signedMember } from '../../lib/json.ts'
import { unescapeJson } from '../../lib/json-members.ts'
import { bytesToHash, type UnreadBytes } from '../../lib/unread.ts'
import { type Failure, fail } from '../../reason.ts'

/**
 * AWS's partitions: what ARNs call them, how their regions begin, and the suffix of their hosts. From `partitions.json` of AWS's
 * SDKs, read on 2026-11-26. Regions of `aws` may begin with any two letters, because AWS adds new ones.
 */
const PARTITIONS = [
  ['aws', '(?!cn)[a-z]{2}', 'amazonaws\\.com'],
  ['aws-cn', 'cn', 'amazonaws\\.com\\.cn'],
  ['aws-us-gov', 'us-gov', 'amazonaws\\.com'],
  ['aws-eusc', 'eusc-[a-z]{2}', 'amazonaws\\.eu'],
  ['aws-iso', 'us-iso', 'c2s\\.ic\\.gov'],
  ['aws-iso-b', 'us-isob', 'sc2s\\.sgov\\.gov'],
  ['aws-iso-e', 'eu-isoe', 'cloud\\.adc-e\\.uk'],
  ['aws-iso-f', 'us-isof', 'csp\\.hci\\.ic\\.gov'],
] as const
/** The rest of a region: `-north-1`. */
const PLACE = '-[a-z]+-[0-9]{1,2}'
const oneOf = (pattern: (partition: (typeof PARTITIONS)[number]) => string) =>
  `(?:${PARTITIONS.map(pattern).join('|')})`
const hostPattern = () => `https://sns\\.${oneOf(([, region, suffix]) => `${region}${PLACE}\\.${suffix}`)}`
const arnPattern = () =>
  `^arn:${oneOf(([name, region]) => `${name}:sns:${region}${PLACE}`)}:[0-9]{12}:[\\w-]{1,256}(?:\\.fifo)?$`

/** E.g. `https://sns.us-east-1.amazonaws.com` or `https://sns.eusc-de-east-1.amazonaws.eu`: only the regions that a suffix has. */
const SNS_ORIGIN: string = /* @__PURE__ */ hostPattern()

const TOPIC_ARN: RegExp = /* @__PURE__ */ new RegExp(/* @__PURE__ */ arnPattern())

/** Whether a topic may have this ARN, in a partition whose hosts are known. */
export function isTopicArn(arn: string): boolean {
  return TOPIC_ARN.test(arn)
}

const CERTIFICATE_URL: RegExp = /* @__PURE__ */ new RegExp(`^${SNS_ORIGIN}/[A-Za-z0-9-]{1,100}\\.pem$`)
const SUBSCRIBE_URL: RegExp = /* @__PURE__ */ new RegExp(
  `^${SNS_ORIGIN}/\\?Action=ConfirmSubscription&[!-~]{1,2000}$`,
)
const EMULATED_CERTIFICATE = /^\/[A-Za-z0-9/_-]{1,200}\.pem$/
const EMULATED_SUBSCRIBE = /^\/\?Action=ConfirmSubscription&[!-~]{1,2000}$/
/** LocalStack's own name resolves to 127.0.0.1. */
const EMULATOR_ORIGIN =
  /^https?:\/\/(?:(?:[a-z0-9-]+\.)*(?:localhost|localhost\.localstack\.cloud)|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?$/

/** Whether an emulator on this machine may have this origin. */
export const isEmulatorOrigin = (origin: string): boolean => EMULATOR_ORIGIN.test(origin)
const LONGEST_URL = 256
const FIRST_LINE: Uint8Array = /* @__PURE__ */ encodeUtf8('Message\n')
/** In base64. The largest RSA keys that are used have 8,192 bits. */
const LONGEST_SIGNATURE = 1368

/** The members that Amazon signs in each type of message after `Message`, in order. `Subject` is optional. */
const CONTROL = ['MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
const SIGNED: ReadonlyMap<string, readonly string[]> = /* @__PURE__ */ new Map([
  ['Notification', ['MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', CONTROL],
  ['UnsubscribeConfirmation', CONTROL],
])
const HASHES: ReadonlyMap<string, RsaSignature['hash']> = /* @__PURE__ */ new Map([
  ['1', 'SHA-1'],
  ['2', 'SHA-256'],
])

/** A signature, and the certificate to verify it with. */
export interface SnsSignature extends Omit<RsaSignature, 'message'> {
  /** Pinned to an SNS host, or to the emulator. */
  readonly certificateUrl: string
  /** As `Message` stands in the body, with its escapes. */
  readonly rawMessage: UnreadBytes
  /** What is signed after it. */
  readonly after: string
}

/** The members that are read before authentication, without `Message`, which may be as large as the body. */
export const SMALL_MEMBERS: readonly string[] = [
  '/Signature',
  '/SignatureVersion',
  '/SigningCertURL',
  '/Subject',
  ...CONTROL.map((name) => `/${name}`),
]

/** Whether this is the URL of a certificate on an SNS host, or on the emulator alone. */
export function isCertificateUrl(url: string, emulatorOrigin?: string): boolean {
  if (url.length > LONGEST_URL) return false
  return isAt(url, emulatorOrigin, EMULATED_CERTIFICATE) ?? CERTIFICATE_URL.test(url)
}

/** Whether this is the URL that confirms a subscription to a topic of SNS, or of the emulator alone. */
export function isSubscribeUrl(url: string, emulatorOrigin?: string): boolean {
  return isAt(url, emulatorOrigin, EMULATED_SUBSCRIBE) ?? SUBSCRIBE_URL.test(url)
}

/** Undefined without an emulator. */
function isAt(url: string, origin: string | undefined, path: RegExp): boolean | undefined {
  return origin === undefined ? undefined : url.startsWith(origin) && path.test(url.slice(origin.length))
}

/** A string member of a message, or an empty string. */
export function textOf(message: unknown, name: string): string {
  const text = memberAt(message, [name])
  return typeof text === 'string' ? text : ''
}

/** Reads the signature of a message. Refuses what can be refused without the certificate. */
export function signatureOf(
  message: unknown,
  messageOf: () => UnreadBytes | undefined,
  emulatorOrigin?: string,
): SnsSignature | Failure<'auth_missing' | 'signature_mismatch'> {
  const given = textOf(message, 'Signature')
  if (given === '') return fail('auth_missing', 'no Signature')
  const after = signedAfterMessage(message)
  if (typeof after === 'object') return fail('signature_mismatch', after.problem)
  const rawMessage = messageOf()
  if (rawMessage === undefined) return fail('signature_mismatch', 'Message is missing, or no string')
  const hash = HASHES.get(textOf(message, 'SignatureVersion'))
  if (hash === undefined) return fail('signature_mismatch', 'SignatureVersion is neither 1 nor 2')
  const certificateUrl = textOf(message, 'SigningCertURL')
  if (!isCertificateUrl(certificateUrl, emulatorOrigin)) {
    const host = emulatorOrigin === undefined ? 'an SNS host' : 'the host of emulatorOrigin'
    return fail('signature_mismatch', `SigningCertURL is not the URL of a certificate on ${host}`)
  }
  const signature = given.length > LONGEST_SIGNATURE ? undefined : decodeBase64(given)
  if (signature === undefined) return fail('signature_mismatch', 'Signature is too long, or not base64')
  return { certificateUrl, hash, signature, rawMessage, after }
}

/** Each member's name and value, one per line. */
function signedAfterMessage(message: unknown): string | { readonly problem: string } {
  const names = SIGNED.get(textOf(message, 'Type'))
  if (names === undefined) return { problem: 'the body is not an SNS message' }
  let lines = ''
  for (const name of names) {
    const text = signedMember(message, [name])
    if (typeof text === 'object') return text
    if (text === undefined && name === 'Subject') continue
    // Only `Message` may contain line feeds, so that the text is unambiguous.
    if (text === undefined || text.includes('\n'))
      return { problem: `${name} is missing, or has a line feed` }
    lines += `${name}\n${text}\n`
  }
  return lines
}

/** The signed bytes. Built once, without a string of the message, because each takes its size in fresh memory. */
export function signedBytesOf({ rawMessage, after }: SnsSignature): Uint8Array<ArrayBuffer> {
  const rest = encodeUtf8(`\n${after}`)
  const bytes = new Uint8Array(FIRST_LINE.length + rawMessage.length + rest.length)
  bytes.set(FIRST_LINE)
  const end = unescapeJson(bytesToHash(rawMessage), bytes, FIRST_LINE.length)
  bytes.set(rest, end)
  return bytes.subarray(0, end + rest.length)
}
