import {
  emptyReply,
  type SchemeFactory,
  type SecretOptions,
  schemeOf,
  type UrlOptions,
} from './kit/define-scheme.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'
import { signedUrlText } from './kit/signed-url.ts'

/**
 * Verifies webhooks from Trello by their `X-Trello-Webhook` header; it is an HMAC-SHA1, the only algorithm that Trello offers.
 * The key is the app's secret, next to its API key. Pass the webhook's callback URL as `publicUrl`, exactly as you registered
 * it. The signature covers the URL and the body, which holds the action's ID but no time. The HEAD that Trello sends first is
 * answered for you.
 *
 * @example
 * ```ts
 * const auth = trello({
 *   secrets: process.env.TRELLO_APP_SECRET,
 *   publicUrl: 'https://example.com/hooks',
 * })
 * ```
 */
export const trello: SchemeFactory<SecretOptions & UrlOptions, '/action/type'> = schemeOf(
  {
    name: 'trello',
    sender: 'Trello',
    secretName: 'secret of the app',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha1',
    key: 'text',
    signature: { headers: ['x-trello-webhook'], spelling: 'base64' },
    signs: '{body}{url}',
    eventId: { member: '/action/id' },
    eventType: { member: '/action/type' },
    handshake: {
      signed: false,
      answer: ({ method }) => (method === 'HEAD' ? emptyReply(200) : undefined),
    },
    maxBodyBytes: 1_048_576,
    facts: { unsigned: false },
    limits: 'The time and the headers are not signed.',
  },
  { url: signedUrlText, handshakes: handshakeAnswers },
)
