import { CERTIFICATE_OPTIONS, remoteCertificates } from '../auth/remote-certificates.ts'
import { headerOf } from '../delivery.ts'
import { ListenerConfigError } from '../errors.ts'
import { aBoolean, aFunction, type OptionCheck, oneOfWords, optional } from '../lib/options.ts'
import { fail } from '../reason.ts'
import {
  COMMON_OPTIONS,
  type CodeScheme,
  type CodeSchemeFactory,
  type CommonOptions,
  defineCodeScheme,
} from './kit/define-scheme.ts'
import {
  isCertificateUrl,
  isEmulatorOrigin,
  isTopicArn,
  SMALL_MEMBERS,
  signatureOf,
  signedBytesOf,
  textOf,
} from './kit/sns-message.ts'
import { SNS_SUBSCRIPTIONS, type SubscriptionOptions } from './kit/sns-subscription.ts'

/** The options of `sns`. Certificates are fetched from Amazon with `fetch`. */
export interface SnsOptions extends CommonOptions, SubscriptionOptions {
  /** The ARNs of your topics. Anyone can create a topic, so messages of other topics are refused. */
  readonly topicArns: string | readonly string[]
  /**
   * The lowest accepted signature version. Version 1 is RSA with SHA-1. Set your topics to version 2, then pass `'2'`.
   * Defaults to `'1'`.
   */
  readonly signatureVersion?: '1' | '2' | undefined
}

const RAW_DELIVERY = 'x-amz-sns-rawdelivery'
const RAW = 'raw message deliveries: turn off raw message delivery in the subscription'

/** @throws ListenerConfigError */
const ownTopics: OptionCheck = (value, option) => {
  const arns = [value].flat()
  if (arns.length > 0 && arns.every((arn) => typeof arn === 'string' && isTopicArn(arn))) return
  throw new ListenerConfigError(
    option,
    'must be like arn:aws:sns:us-east-1:123456789012:orders, in a partition and region of AWS',
  )
}

/** @throws ListenerConfigError */
const loopbackOrigin: OptionCheck = (value, option) => {
  if (typeof value === 'string' && isEmulatorOrigin(value)) return
  throw new ListenerConfigError(
    option,
    'must be an origin on this machine, like http://localhost:4566: no other host may stand in for Amazon',
  )
}

const SNS: CodeScheme = {
  name: 'sns',
  sender: 'Amazon SNS',
  secretName: 'none; pass the ARNs of your topics as topicArns',
  algorithm: 'code',
  signature: { headers: [], member: '/Signature' },
  signs: ['/Message', '/MessageId', '/Subject', '/Timestamp', '/TopicArn', '/Type'],
  readsFirst: SMALL_MEMBERS,
  covers: 'values',
  timestamp: { member: '/Timestamp', unit: 'rfc3339', of: 'event', toleranceSeconds: 86_400 },
  eventId: { member: '/MessageId' },
  eventType: { member: '/Type' },
  content: ['json-as-text', 'json'],
  maxBodyBytes: 393_216, // 256 KB of message and attributes, and 128 KB of escapes and envelope
  leaseSeconds: 30, // half of the minute during which SNS retries
  maxRunSeconds: 30,
  handshake: SNS_SUBSCRIPTIONS,
  facts: {
    weakBy: 'rsa-sha1',
    keyHost: 'by name',
    unsigned: `Amazon SNS signs all but ${RAW}`,
    otherFormats:
      'Amazon SNS sends another type only if the delivery policy names one: set its headerContentType to text/plain or application/json, and turn off raw message delivery, which is not signed',
  },
  limits: 'The URL, the headers and UnsubscribeURL are not signed. SNS signs with SHA-1 by default.',
}

/**
 * Verifies Amazon SNS over HTTPS, with the signature in the body. There is no secret. Pass the ARNs of your topics. The
 * signing certificate is fetched from Amazon and trusted because Amazon's host serves it. The signature covers the message,
 * its ID, subject, time and topic. `event.payload` is SNS's envelope. Its `Message` is the published text.
 *
 * Messages about subscriptions are answered for you. Pass `confirmSubscriptions: true`, or confirm them yourself in
 * `onSubscription`. Each process calls it once for a message, and refuses one that is over three days old, when its token has expired.
 * SNS does not sign raw message deliveries, so they are refused.
 *
 * @example
 * ```ts
 * const auth = sns({
 *   topicArns: 'arn:aws:sns:us-east-1:123456789012:orders',
 *   confirmSubscriptions: true,
 * })
 * ```
 */
export const sns: CodeSchemeFactory<SnsOptions, '/Type'> = defineCodeScheme(
  SNS,
  {
    ...COMMON_OPTIONS,
    ...CERTIFICATE_OPTIONS,
    topicArns: ownTopics,
    emulatorOrigin: /* @__PURE__ */ optional(loopbackOrigin),
    signatureVersion: /* @__PURE__ */ optional(/* @__PURE__ */ oneOfWords('1', '2')),
    confirmSubscriptions: /* @__PURE__ */ optional(aBoolean),
    onSubscription: /* @__PURE__ */ optional(aFunction),
  },
  ({ topicArns, signatureVersion, ...options }, authBy) => {
    const topics = [topicArns].flat()
    const { emulatorOrigin } = options
    const isPinned = (url: string) => isCertificateUrl(url, emulatorOrigin)
    const verify = remoteCertificates('Amazon SNS', isPinned, options)
    // Not async: an async function would hold the parsed message until it returns.
    return (evidence) => {
      const message = evidence.parsed()
      const given = signatureOf(message, () => evidence.member('Message'), emulatorOrigin)
      if ('reason' in given) {
        if (headerOf(evidence.delivery, RAW_DELIVERY) === 'true')
          evidence.refuse?.(`Amazon SNS does not sign ${RAW}`)
        return given
      }
      if (!topics.includes(textOf(message, 'TopicArn'))) {
        return fail('signature_mismatch', 'TopicArn is none of topicArns')
      }
      if (signatureVersion === '2' && given.hash === 'SHA-1') {
        return fail('signature_mismatch', 'SignatureVersion is below signatureVersion')
      }
      const { certificateUrl, hash, signature } = given
      const verified = verify(evidence, certificateUrl, {
        hash,
        signature,
        message: () => signedBytesOf(given),
      })
      return verified.then((signed) => {
        if (typeof signed === 'string') return fail('signature_mismatch', signed)
        evidence.signed = { before: '', body: signed, after: '' }
        return authBy(certificateUrl)
      })
    }
  },
)
