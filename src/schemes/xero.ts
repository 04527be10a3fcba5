import { type SchemeFactory, schemeOf } from './kit/define-scheme.ts'
import { handshakeAnswers, NO_EVENTS } from './kit/handshake-answers.ts'

/**
 * Verifies webhooks from Xero by their `X-Xero-Signature` header. The signing key is on the app's Webhooks page. The signature
 * covers only the body. The signed bytes are claimed, so a captured delivery cannot run again while they are remembered. The
 * "intent to receive" is answered for you: 200 if the signature matches, 401 if Xero sent a wrong one on purpose, both without
 * a body.
 *
 * @example
 * ```ts
 * const auth = xero({ secrets: process.env.XERO_WEBHOOK_SECRET })
 * ```
 */
export const xero: SchemeFactory = schemeOf(
  {
    name: 'xero',
    sender: 'Xero',
    secretName: 'webhooks signing key',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-xero-signature'], spelling: 'base64' },
    signs: '{body}',
    handshake: NO_EVENTS,
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned: false,
      tests:
        'Xero sends wrong signatures on purpose while it checks the URL (Intent to receive) and expects a 401',
    },
    limits: 'The time, the URL and the headers are not signed.',
  },
  { differs: () => ({ bareUnauthorized: true }), handshakes: handshakeAnswers },
)
