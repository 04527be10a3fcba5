import { hmacWith } from '#crypto'
import { namedSecrets, secretText } from '../auth/secrets.ts'
import { encodeUtf8 } from '../lib/bytes.ts'
import { memberAt } from '../lib/json.ts'
import {
  emptyReply,
  jsonReply,
  type SchemeFactory,
  type SchemeOptions,
  type SecretOptions,
  schemeOf,
} from './kit/define-scheme.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'

/** How every signed text of a delivery begins. */
const VERSION = 'v0:'

/**
 * Verifies webhooks from Zoom by their `X-Zm-Signature` header. The secret token is on the app's Features page. The signature
 * covers a timestamp and the body. Deliveries have no ID, so the signed bytes are claimed. The recurring
 * `endpoint.url_validation` is answered for you.
 *
 * @example
 * ```ts
 * const auth = zoom({ secrets: process.env.ZOOM_SECRET_TOKEN })
 * ```
 */
export const zoom: SchemeFactory<SecretOptions, '/event'> = schemeOf(
  {
    name: 'zoom',
    sender: 'Zoom',
    secretName: 'secret token of the app',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-zm-signature'], prefix: 'v0=', spelling: 'hex' },
    signs: `${VERSION}{timestamp}:{body}`,
    timestamp: { header: 'x-zm-request-timestamp', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
    eventType: { member: '/event' },
    handshake: {
      signed: true,
      answer: (request, options) => {
        const plainToken = memberAt(request.payload(), ['payload', 'plainToken'])
        const asks = memberAt(request.payload(), ['event']) === 'endpoint.url_validation'
        if (!asks || typeof plainToken !== 'string') return undefined
        // The same key signs the reply, which would then be the signature of a delivery.
        if (plainToken.startsWith(VERSION)) return emptyReply(400)
        return encrypted(plainToken, options, request.secretId).then((encryptedToken) =>
          jsonReply({ plainToken, encryptedToken }),
        )
      },
    },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned: false,
      otherSecrets: 'each app has its own; it is neither the verification token nor the client secret',
    },
    limits: 'The URL and the other headers are not signed.',
  },
  { handshakes: handshakeAnswers },
)

/** HMAC-SHA256 of the token with the secret that signed the handshake. */
async function encrypted(
  plainToken: string,
  { secrets }: SchemeOptions,
  secretId: string | undefined,
): Promise<string> {
  const signer = namedSecrets(secrets, 'secrets', secretText).find(({ id }) => id === secretId)
  return hmacWith('sha256', encodeUtf8(signer?.secret), 'hex')('', encodeUtf8(plainToken), '')
}
