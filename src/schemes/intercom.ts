import { emptyReply, type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'

/**
 * Verifies webhooks from Intercom by their `X-Hub-Signature` header; it is an HMAC-SHA1, the only algorithm that Intercom
 * offers. The key is the app's client secret, in the Developer Hub. The signature covers the body, which holds the
 * notification's ID and the time of its first attempt. The HEAD that Intercom sends when you save the endpoint's URL is
 * answered for you.
 *
 * @example
 * ```ts
 * const auth = intercom({ secrets: process.env.INTERCOM_WEBHOOK_SECRET })
 * ```
 */
export const intercom: SchemeFactory<SecretOptions, '/topic'> = schemeOf(
  {
    name: 'intercom',
    sender: 'Intercom',
    secretName: 'client secret of the app',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha1',
    key: 'text',
    signature: { headers: ['x-hub-signature'], prefix: 'sha1=', spelling: 'hex' },
    signs: '{body}',
    timestamp: { member: '/first_sent_at', unit: 'seconds', of: 'event', toleranceSeconds: 172_800 },
    eventId: { member: '/id' },
    eventType: { member: '/topic' },
    handshake: {
      signed: false,
      answer: ({ method }) => (method === 'HEAD' ? emptyReply(200) : undefined),
    },
    maxBodyBytes: 1_048_576,
    facts: { unsigned: false, otherSecrets: 'each app has its own; it is no access token' },
    limits: 'The URL and the other headers are not signed.',
  },
  { handshakes: handshakeAnswers },
)
