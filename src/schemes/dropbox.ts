import { type SchemeFactory, schemeOf, textReply } from './kit/define-scheme.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'

/**
 * Verifies webhooks from Dropbox by their `X-Dropbox-Signature` header. The key is the app secret, in the App Console. The
 * signature covers the body, which only names the accounts that changed. Genuine bodies repeat, so nothing is claimed
 * (`dedupe: 'off'`). Your handler runs for every delivery, including replays, and asks Dropbox what is new. The GET with a
 * challenge is answered for you.
 *
 * @example
 * ```ts
 * const auth = dropbox({ secrets: process.env.DROPBOX_WEBHOOK_SECRET })
 * ```
 */
export const dropbox: SchemeFactory = schemeOf(
  {
    name: 'dropbox',
    sender: 'Dropbox',
    secretName: 'app secret',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-dropbox-signature'], spelling: 'hex' },
    signs: '{body}',
    dedupe: 'off',
    handshake: {
      signed: false,
      answer: ({ method, query }) => (method === 'GET' ? textReply(query('challenge')) : undefined),
    },
    maxBodyBytes: 1_048_576,
    maxRunSeconds: 540, // and a lease: Dropbox retries for about 10 minutes
    facts: {
      unsigned: false,
      otherSecrets: 'each app has its own; it is neither the app key nor an access token',
    },
    limits:
      'The time, the URL and the headers are not signed. Bodies repeat, so a replay cannot be told from a new delivery.',
  },
  { handshakes: handshakeAnswers },
)
