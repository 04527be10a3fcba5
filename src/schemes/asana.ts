import { emptyReply, type HandshakeOptions, type SchemeFactory, schemeOf } from './kit/define-scheme.ts'
import { acceptSecret, handshakeAnswers } from './kit/handshake-answers.ts'

/**
 * Verifies webhooks from Asana by their `X-Hook-Signature` header. The handshake delivers the key in `X-Hook-Secret`. Pass
 * `onHandshake` to receive the key and store it. Then pass it as `secrets` and omit `onHandshake`. The signature covers only
 * the body. The signed bytes are claimed, so a captured delivery cannot run again while they are remembered.
 *
 * @example
 * ```ts
 * const auth = asana({ secrets: process.env.ASANA_HOOK_SECRET })
 * ```
 */
export const asana: SchemeFactory<HandshakeOptions> = schemeOf(
  {
    name: 'asana',
    sender: 'Asana',
    secretName: 'secret of the handshake',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-hook-signature'], spelling: 'hex' },
    signs: '{body}',
    takes: ['onHandshake'],
    handshake: {
      signed: false,
      answer: ({ method, header }, { onHandshake }) => {
        const secret = header('x-hook-secret')
        if (method !== 'POST' || onHandshake === undefined || secret === undefined) return undefined
        return acceptSecret(secret, onHandshake, emptyReply(200, { 'x-hook-secret': secret }))
      },
    },
    maxBodyBytes: 1_048_576,
    facts: { unsigned: false },
    limits: 'The time, the URL and the headers are not signed.',
  },
  { handshakes: handshakeAnswers },
)
