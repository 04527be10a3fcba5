import { defineScheme, type SchemeFactory } from '../src/scheme/index.ts'

/**
 * Mailgun's event webhooks, whose signature stands in the body. The key is the HTTP webhook signing key, in the control
 * panel under API security. The signature covers a time and a token, and nothing of the event: someone who
 * sees a delivery before you do can replace its event. So each token is taken once, and no more than a day after its time.
 *
 * Mailgun takes 200 alone for success: it retries after any other answer, 204 included, and gives up after a 406. Inbound
 * messages and the older webhooks are forms, which this does not read.
 *
 * @example
 * ```ts
 * const auth = mailgun({ secrets: process.env.MAILGUN_WEBHOOK_SECRET })
 * ```
 */
export const mailgun: SchemeFactory = defineScheme({
  name: 'mailgun',
  sender: 'Mailgun',
  secretName: 'HTTP webhook signing key',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: [], member: '/signature/signature', spelling: 'hex' },
  signs: '{/signature/timestamp}{/signature/token}',
  // Retries end after 8 hours, and may carry the first attempt's signature.
  timestamp: {
    member: '/signature/timestamp',
    asText: true,
    unit: 'seconds',
    of: 'attempt',
    toleranceSeconds: 86_400,
    aheadSeconds: 300,
  },
  eventId: { member: '/event-data/id' },
  eventType: { member: '/event-data/event' },
  maxBodyBytes: 262_144,
  limits: 'The event is not signed: only a time and a token are, which are taken once.',
})
