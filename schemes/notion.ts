import { memberAt } from '../src/lib/json.ts'
import {
  defineScheme,
  emptyReply,
  type HandshakeOptions,
  type SchemeFactory,
  type SecretOptions,
} from '../src/scheme/define-scheme.ts'
import { acceptSecret } from '../src/scheme/handshake-answers.ts'

/**
 * Notion: `X-Notion-Signature`. The key is the verification token, which Notion posts to the endpoint when you create
 * the subscription. Pass `onHandshake` to receive the token, enter it on Notion's page and store it. Then pass it as
 * `secrets` and omit `onHandshake`. The signature covers the body, which holds the event's ID and time.
 *
 * @example
 * ```ts
 * const auth = notion({ secrets: process.env.NOTION_VERIFICATION_TOKEN })
 * ```
 */
export const notion: SchemeFactory<SecretOptions & HandshakeOptions, '/type'> = defineScheme({
  name: 'notion',
  sender: 'Notion',
  secretName: 'verification token of the subscription',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-notion-signature'], prefix: 'sha256=', spelling: 'hex' },
  signs: '{body}',
  timestamp: { member: '/timestamp', unit: 'rfc3339', of: 'event', toleranceSeconds: 172_800 },
  eventId: { member: '/id' },
  eventType: { member: '/type' },
  takes: ['onHandshake'],
  handshake: {
    signed: false,
    answer: (request, { onHandshake }) => {
      const isExpected = onHandshake !== undefined && request.method === 'POST'
      if (!isExpected || request.body.length > 1024 || request.header('x-notion-signature')) return undefined
      const secret = memberAt(request.payload(), ['verification_token'])
      return typeof secret === 'string' ? acceptSecret(secret, onHandshake, emptyReply(200)) : undefined
    },
  },
  maxBodyBytes: 1_048_576,
  limits: 'The URL and the other headers are not signed.',
})
