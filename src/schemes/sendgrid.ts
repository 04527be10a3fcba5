import { type PublicKeyOptions, type SchemeFactory, schemeOf } from './kit/define-scheme.ts'
import { publicKeyMatcher } from './kit/public-keys.ts'

/**
 * Verifies SendGrid's event webhook: ECDSA with P-256. The verification key is in the webhook's settings, as base64 without
 * the PEM header and footer. The signature covers a timestamp and the body. SendGrid documents no tolerance. Set
 * `toleranceSeconds` to refuse old deliveries. A delivery can hold many events, each with its `sg_event_id`. The delivery
 * itself has no ID, so the signed bytes are claimed.
 *
 * @example
 * ```ts
 * const auth = sendgrid({ publicKeys: process.env.SENDGRID_VERIFICATION_KEY })
 * ```
 */
export const sendgrid: SchemeFactory<PublicKeyOptions> = schemeOf(
  {
    name: 'sendgrid',
    sender: 'SendGrid',
    secretName: 'verification key of the event webhook, in base64',
    secretMadeBy: 'sender',
    algorithm: 'ecdsa-p256-sha256',
    key: 'base64',
    signature: { headers: ['x-twilio-email-event-webhook-signature'], spelling: 'base64' },
    signs: '{timestamp}{body}',
    timestamp: { header: 'x-twilio-email-event-webhook-timestamp', unit: 'seconds', of: 'attempt' },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned:
        'SendGrid signs only if Signed Event Webhook is on: turn it on in the settings of the event webhook',
      otherFormats: "SendGrid's Inbound Parse sends forms: this scheme is for the event webhook",
    },
    limits: 'The URL and the other headers are not signed. Time and body are joined without a separator.',
  },
  { publicKeys: publicKeyMatcher },
)
