import { memberAt } from '../lib/json.ts'
import { parseTime } from '../lib/time.ts'
import { type SchemeFactory, type SecretOptions, schemeOf, textReply } from './kit/define-scheme.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'

/**
 * Verifies webhooks from Twitch EventSub by their `Twitch-Eventsub-Message-Signature` header. The secret is the text that you
 * set when you created the subscription. The signature covers the message's ID, its time and the body. The callback
 * verification is answered for you. A revocation reaches your handler.
 *
 * @example
 * ```ts
 * const auth = twitch({ secrets: process.env.TWITCH_WEBHOOK_SECRET })
 * ```
 */
export const twitch: SchemeFactory<SecretOptions, '/subscription/type'> = schemeOf(
  {
    name: 'twitch',
    sender: 'Twitch',
    secretName: 'secret of the EventSub subscription',
    secretMadeBy: 'user',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['twitch-eventsub-message-signature'], prefix: 'sha256=', spelling: 'hex' },
    signs: '{id}{timestamp}{body}',
    timestamp: {
      header: 'twitch-eventsub-message-timestamp',
      unit: 'rfc3339',
      of: 'attempt',
      toleranceSeconds: 600,
    },
    eventId: { header: 'twitch-eventsub-message-id' },
    eventType: { member: '/subscription/type' },
    handshake: {
      signed: true,
      answer: (request) =>
        request.header('twitch-eventsub-message-type') === 'webhook_callback_verification'
          ? textReply(memberAt(request.payload(), ['challenge']))
          : undefined,
    },
    maxBodyBytes: 1_048_576,
    facts: { unsigned: false },
    limits:
      "The URL and the other headers, including the message's type, are not signed. ID, time and body are joined without a separator.",
  },
  { handshakes: handshakeAnswers, dates: parseTime },
)
