import { crc32, visitBytes } from '#crypto'
import {
  CERTIFICATE_OPTIONS,
  type CertificateOptions,
  remoteCertificates,
} from '../auth/remote-certificates.ts'
import { headerOf } from '../delivery.ts'
import { decodeBase64, encodeUtf8 } from '../lib/bytes.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { exactText } from '../lib/options.ts'
import type { UnreadBytes } from '../lib/unread.ts'
import { fail } from '../reason.ts'
import {
  COMMON_OPTIONS,
  type CodeScheme,
  type CodeSchemeFactory,
  type CommonOptions,
  defineCodeScheme,
} from './kit/define-scheme.ts'
import { signatureReader } from './kit/signatures.ts'

/** The options of `paypal`. Certificates are fetched from PayPal with `fetch`. */
export interface PaypalOptions extends CommonOptions, CertificateOptions {
  /**
   * The webhook's ID, from the app's settings. The signature covers it. Without it, anyone's PayPal webhook would pass.
   */
  readonly webhookId: string
}

const CERTIFICATE_URL =
  /^https:\/\/api(?:-m)?(?:\.sandbox)?\.paypal\.com\/v1\/notifications\/certs\/[A-Za-z0-9-]{1,100}$/
const isCertificateUrl = (url: string) => CERTIFICATE_URL.test(url)

const PAYPAL: CodeScheme = {
  name: 'paypal',
  sender: 'PayPal',
  secretName: "none; pass the webhook's ID as webhookId",
  algorithm: 'code',
  signature: { headers: ['paypal-transmission-sig'] },
  signs: ['timestamp'],
  covers: 'values',
  timestamp: { header: 'paypal-transmission-time', unit: 'rfc3339', of: 'attempt' },
  eventId: { member: '/id' },
  eventType: { member: '/event_type' },
  maxBodyBytes: 1_048_576,
  facts: {
    otherKeys: { 'WH-': 'the ID of an event' },
    otherSecrets: 'each webhook has its own, in the sandbox and live',
    unsigned: false,
    weakBy: 'crc-32',
    keyHost: 'by name',
    otherFormats: "PayPal's older IPN sends forms: subscribe a webhook instead",
    tests:
      "the Webhooks simulator signs with the text WEBHOOK_ID in place of a webhook's ID: send an event of the sandbox instead, because anyone can use the simulator",
  },
  limits:
    'Only a CRC-32 of the body is signed. Anyone with a captured delivery can forge a body with the same checksum, so fetch the event’s resource from PayPal.',
}

function crc32Of(bytes: UnreadBytes): MaybePromise<number> {
  let sum = 0
  const all = visitBytes(bytes, (slice) => {
    sum = crc32(slice, sum)
  })
  return whenKnown(all, () => sum)
}

/**
 * Verifies webhooks from PayPal by their `PayPal-Transmission-Sig` header, verified offline. There is no secret. Pass the ID
 * of your webhook. The signing certificate is fetched from PayPal's API, live or sandbox, and trusted because that host serves
 * it.
 *
 * The signature covers the transmission's ID and time, the webhook's ID and a CRC-32 of the body. A CRC-32 is easy to
 * forge, so treat the event as a hint and fetch its resource, or ask PayPal's `verify-webhook-signature`. Each
 * transmission and each event ID is accepted once. PayPal documents no tolerance, so none is set by default.
 *
 * @example
 * ```ts
 * const auth = paypal({ webhookId: process.env.PAYPAL_WEBHOOK_ID ?? '' })
 * ```
 */
export const paypal: CodeSchemeFactory<PaypalOptions, '/event_type'> = defineCodeScheme(
  PAYPAL,
  { ...COMMON_OPTIONS, ...CERTIFICATE_OPTIONS, webhookId: exactText },
  ({ webhookId, ...options }, authBy) => {
    const signatureOf = signatureReader(PAYPAL.signature)
    const verify = remoteCertificates('PayPal', isCertificateUrl, options)
    return async (evidence) => {
      const items = signatureOf(evidence)
      if ('reason' in items) return items
      const { bytes, delivery, timestampText } = evidence
      const signature = decodeBase64(items[0] ?? '')
      if (signature === undefined) return fail('signature_mismatch', 'the signature is not base64')
      if (headerOf(delivery, 'paypal-auth-algo') !== 'SHA256withRSA') {
        return fail('signature_mismatch', 'paypal-auth-algo is not SHA256withRSA')
      }
      const url = headerOf(delivery, 'paypal-cert-url')
      if (typeof url !== 'string' || !isCertificateUrl(url)) {
        return fail('signature_mismatch', 'paypal-cert-url is not the URL of a PayPal certificate')
      }
      const id = headerOf(delivery, 'paypal-transmission-id')
      if (typeof id !== 'string') return fail('signature_mismatch', 'no paypal-transmission-id, or several')
      const message = async () => encodeUtf8(`${id}|${timestampText}|${webhookId}|${await crc32Of(bytes)}`)
      const signed = await verify(evidence, url, { hash: 'SHA-256', signature, message })
      if (typeof signed === 'string') return fail('signature_mismatch', signed)
      evidence.signed = { before: '', body: signed, after: '' }
      return authBy(url)
    }
  },
)
