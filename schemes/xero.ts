import { defineScheme, emptyReply, type SchemeFactory } from '../src/scheme/index.ts'
import { memberAt } from '../src/scheme/members.ts'

/**
 * Xero: `X-Xero-Signature`. The signing key is on the app's Webhooks page. The signature covers the body alone, so the
 * signed bytes are claimed: no captured delivery runs again while they are remembered. The "intent to receive" is
 * answered here: 200 where the signature is right, 401 where Xero made it wrong on purpose, both without a body.
 *
 * @example
 * ```ts
 * const auth = xero({ secrets: process.env.XERO_WEBHOOK_SECRET })
 * ```
 */
export const xero: SchemeFactory = defineScheme({
  name: 'xero',
  sender: 'Xero',
  secretName: 'webhooks signing key',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-xero-signature'], spelling: 'base64' },
  signs: '{body}',
  bareUnauthorized: true,
  handshake: {
    signed: true,
    answer: (request) => {
      const events = memberAt(request.payload(), ['events'])
      return Array.isArray(events) && events.length === 0 ? emptyReply(200) : undefined
    },
  },
  maxBodyBytes: 1_048_576,
  limits: 'No time is signed, nor the URL, nor the headers.',
})
