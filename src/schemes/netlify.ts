import {
  type CodeScheme,
  type CodeSchemeFactory,
  defineCodeScheme,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
} from './kit/define-scheme.ts'
import { type HashedToken, hashedToken, hashedTokens } from './kit/hashed-token.ts'

const TOKEN: HashedToken = {
  header: 'X-Webhook-Signature',
  fixed: { iss: 'netlify' },
  fixedBy: { iss: 'netlify' },
  hashClaim: 'sha256',
  spelling: 'hex',
  neverExpires: true,
}

const NETLIFY: CodeScheme = {
  name: 'netlify',
  sender: 'Netlify',
  secretName: 'JWS secret token of the notification',
  secretMadeBy: 'user',
  algorithm: 'code',
  signature: { headers: ['x-webhook-signature'] },
  signs: ['body'],
  covers: 'body',
  maxBodyBytes: 1_048_576,
  async sign(delivery) {
    const token = await hashedToken(delivery.need('secret'), delivery, TOKEN)
    return { headers: { 'x-webhook-signature': token } }
  },
  facts: {
    unsigned:
      'Netlify signs only if the notification has a JWS secret token: enter one where you set its URL',
  },
  limits:
    'The time, the URL and the headers are not signed. Notifications of two kinds may have the same body: give each a listener of its own.',
}

/**
 * Verifies HTTP POST notifications from Netlify, of deploys and forms, by their `X-Webhook-Signature` header, a token signed with
 * HS256. The key is the JWS secret token that you entered with the notification's URL. The token covers the exact body and never
 * expires. Deliveries have no ID, so the signed bytes are claimed, and a captured delivery cannot run again while they are remembered.
 *
 * @example
 * ```ts
 * const auth = netlify({ secrets: process.env.NETLIFY_JWS_SECRET })
 * ```
 */
export const netlify: CodeSchemeFactory<SharedSecretOptions> = defineCodeScheme(
  NETLIFY,
  SHARED_SECRET_OPTIONS,
  ({ secrets }, authBy) => hashedTokens(authBy, secrets, () => TOKEN),
)
