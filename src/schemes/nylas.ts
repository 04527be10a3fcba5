import { type SchemeFactory, type SecretOptions, schemeOf, textReply } from './kit/define-scheme.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'

/**
 * Verifies webhooks from Nylas v3 by their `X-Nylas-Signature` header. The key is the webhook's secret, in the response when you
 * create the webhook. The signature covers the body as sent, which holds the notification's ID and time. The GET with a challenge is
 * answered for you.
 *
 * Leave `compressed_delivery` off: compressed bodies are refused, because hookgate does not unpack them.
 *
 * @example
 * ```ts
 * const auth = nylas({ secrets: process.env.NYLAS_WEBHOOK_SECRET })
 * ```
 */
export const nylas: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    name: 'nylas',
    sender: 'Nylas',
    secretName: 'webhook_secret of the webhook',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-nylas-signature'], spelling: 'hex' },
    signs: '{body}',
    timestamp: { member: '/time', unit: 'seconds', of: 'event' },
    eventId: { member: '/id' },
    eventType: { member: '/type' },
    handshake: {
      signed: false,
      answer: ({ method, query }) => (method === 'GET' ? textReply(query('challenge')) : undefined),
    },
    maxBodyBytes: 2_097_152, // Nylas truncates larger objects than 1 MB
    facts: {
      unsigned: false,
      otherFormats: 'Nylas compresses bodies if compressed_delivery of the webhook is true: turn it off',
      otherSecrets: 'each webhook has its own; it is neither the API key nor the client secret',
    },
    limits:
      'The URL and the headers are not signed. Compressed bodies are refused: leave compressed_delivery off.',
  },
  { handshakes: handshakeAnswers },
)
