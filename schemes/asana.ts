import { acceptSecret } from '../src/scheme/accept-secret.ts'
import {
  defineScheme,
  emptyReply,
  type HandshakeOptions,
  type SchemeFactory,
  type SecretOptions,
} from '../src/scheme/index.ts'

/**
 * Asana: `X-Hook-Signature`. The key comes in the handshake, as `X-Hook-Secret`: give `onHandshake` to be told of it,
 * keep it, then give it as `secrets` and leave `onHandshake` out. The signature covers the body alone, so the signed
 * bytes are claimed: no captured delivery runs again while they are remembered.
 *
 * @example
 * ```ts
 * const auth = asana({ secrets: process.env.ASANA_HOOK_SECRET })
 * ```
 */
export const asana: SchemeFactory<SecretOptions & HandshakeOptions> = defineScheme({
  name: 'asana',
  sender: 'Asana',
  secretName: 'secret of the handshake',
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
  limits: 'No time is signed, nor the URL, nor the headers.',
})
