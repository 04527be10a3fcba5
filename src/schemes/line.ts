import { warnOfCut } from './kit/cut-secrets.ts'
import { type SchemeFactory, schemeOf } from './kit/define-scheme.ts'
import { handshakeAnswers, NO_EVENTS } from './kit/handshake-answers.ts'

/**
 * Verifies webhooks from LINE's Messaging API by their `X-Line-Signature` header. The channel secret is on the channel's Basic
 * settings page. The signature covers only the body. The signed bytes are claimed, so a captured delivery cannot run again
 * while they are remembered. A delivery can hold many events, each with its `webhookEventId`. LINE may repeat an event in
 * another delivery. The delivery without events, which the Verify button sends, is answered for you.
 *
 * @example
 * ```ts
 * const auth = line({ secrets: process.env.LINE_CHANNEL_SECRET })
 * ```
 */
export const line: SchemeFactory = schemeOf(
  {
    name: 'line',
    sender: 'LINE',
    secretName: 'channel secret',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-line-signature'], spelling: 'base64' },
    signs: '{body}',
    handshake: NO_EVENTS,
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned: false,
      hexDigits: 32,
      otherSecrets: 'each channel has its own; it is no channel access token',
    },
    limits: 'The time, the URL and the headers are not signed.',
  },
  { handshakes: handshakeAnswers, checksSecret: warnOfCut },
)
