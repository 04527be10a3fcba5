import { warnOfCut } from './kit/cut-secrets.ts'
import {
  emptyReply,
  type SchemeFactory,
  type SecretOptions,
  schemeOf,
  textReply,
  type VerifyTokenOptions,
} from './kit/define-scheme.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'
import { sameText } from './kit/keys.ts'

/**
 * Verifies webhooks from Meta (WhatsApp, Messenger, Instagram and Facebook) by their `X-Hub-Signature-256` header. The older
 * SHA-1 header is ignored. The key is the app secret, on the app's Basic settings page, and for
 * the Instagram API with Instagram Login the Instagram app secret, in its API setup. The signature covers only the body.
 * The signed bytes are claimed, so a captured delivery cannot run again while they are remembered. A delivery can hold many
 * updates.
 *
 * Pass the token that you entered with the callback URL as `verifyToken`. The GET that subscribes is then answered for
 * you.
 *
 * @example
 * ```ts
 * const auth = meta({
 *   secrets: process.env.META_APP_SECRET,
 *   verifyToken: process.env.META_VERIFY_TOKEN,
 * })
 * ```
 */
export const meta: SchemeFactory<SecretOptions & VerifyTokenOptions> = schemeOf(
  {
    name: 'meta',
    sender: 'Meta',
    secretName: 'app secret',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-hub-signature-256'], prefix: 'sha256=', spelling: 'hex' },
    signs: '{body}',
    takes: ['verifyToken'],
    handshake: {
      signed: false,
      answer: ({ method, query }, { verifyToken }) => {
        if (method !== 'GET' || query('hub.mode') !== 'subscribe') return undefined
        const isOurs = verifyToken !== undefined && sameText(query('hub.verify_token') ?? '', verifyToken)
        return isOurs ? textReply(query('hub.challenge')) : emptyReply(403)
      },
    },
    maxBodyBytes: 3_145_728,
    facts: {
      unsigned: false,
      otherKeys: { EAA: 'an access token' },
      hexDigits: 32,
      otherSecrets:
        'each app has its own; the Instagram API with Instagram Login signs with the Instagram app secret, which is another; it is no verify token',
      otherVersions: { 'x-hub-signature': { begins: 'sha1=', is: 'the older signature, by SHA-1' } },
    },
    limits: 'The time, the URL and the headers are not signed.',
  },
  { handshakes: handshakeAnswers, checksSecret: warnOfCut },
)
