import { memberAt } from '../lib/json.ts'
import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { PRE_AUTH_BODY } from './kit/pre-auth-body.ts'

/**
 * Verifies Mailgun's event webhooks, with the signature in the body. The key is the HTTP webhook signing key, in the control
 * panel under API security. The signature covers a time and a token, but not the event. Anyone who intercepts a delivery can
 * replace its event. So each token is accepted once, for at most a day.
 *
 * Answer exactly 200. Mailgun retries after any other status, including 204, and gives up after a 406. Inbound messages
 * and the older webhooks are forms, which this scheme does not read.
 *
 * @example
 * ```ts
 * const auth = mailgun({ secrets: process.env.MAILGUN_WEBHOOK_SECRET })
 * ```
 */
export const mailgun: SchemeFactory<SecretOptions, '/event-data/event'> = schemeOf(
  {
    name: 'mailgun',
    sender: 'Mailgun',
    secretName: 'HTTP webhook signing key',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: [], member: '/signature/signature', spelling: 'hex' },
    signs: '{/signature/timestamp}{/signature/token}',
    // Mailgun retries for 8 hours, possibly with the first attempt's signature.
    timestamp: {
      member: '/signature/timestamp',
      asText: true,
      unit: 'seconds',
      of: 'attempt',
      toleranceSeconds: 86_400,
      aheadSeconds: 300,
    },
    eventId: { member: '/event-data/id' },
    // An ID is unique only within a day. Every attempt has the event's time.
    claimedId: (id, { payload }) => {
      const time = memberAt(payload, ['event-data', 'timestamp'])
      return id && `${typeof time === 'number' ? time : ''}\n${id}`
    },
    eventType: { member: '/event-data/event' },
    maxBodyBytes: 262_144,
    facts: {
      unsigned: false,
      otherSecrets: 'it is neither an API key nor the password of SMTP',
      otherFormats:
        'Mailgun sends inbound messages and its older webhooks as forms: this scheme reads its event webhooks, in JSON',
    },
    limits: 'The event is not signed. Only a time and a token are, and each token is accepted once.',
  },
  { preAuth: PRE_AUTH_BODY },
)
