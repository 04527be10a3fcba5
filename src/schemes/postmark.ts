import { namedSecrets, secretText } from '../auth/secrets.ts'
import { encodeBase64 } from '../lib/bytes.ts'
import { fail, mismatch } from '../reason.ts'
import { signatureReader } from './kit/authenticate.ts'
import {
  type CodeScheme,
  type CodeSchemeFactory,
  defineCodeScheme,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
} from './kit/define-scheme.ts'
import { holderOf } from './kit/keys.ts'

const BASIC = /^basic /i
const encoder = new TextEncoder()

const POSTMARK: CodeScheme = {
  name: 'postmark',
  sender: 'Postmark',
  secretName: 'user:password, as the webhook’s URL has them',
  secretMadeBy: 'user',
  algorithm: 'code',
  signature: { headers: ['authorization'] },
  signs: [],
  covers: 'token',
  eventType: { member: '/RecordType' },
  maxBodyBytes: 1_048_576,
  sign: ({ need }) => ({
    headers: { authorization: `Basic ${encodeBase64(encoder.encode(need('secret')))}` },
  }),
  facts: {
    unsigned:
      'Postmark authenticates only if the webhook has credentials: write them into its URL, https://user:password@…',
  },
  limits:
    'Nothing is signed: user and password only identify the caller, and anyone who has seen them can forge deliveries.',
}

/**
 * Verifies webhooks from Postmark by HTTP Basic authentication, with a user and a password that you choose. Write them into
 * the webhook's URL, `https://user:password@example.com/hooks`, and pass `user:password` as `secrets`, without
 * percent-encoding.
 *
 * Nothing is signed, and anyone who has seen the password can send anything. Postmark publishes its addresses, so add
 * `allowedCidrs`. Deliveries are claimed by their bodies, because all events of a message share its `MessageID`. Raise
 * `maxBodyBytes` for inbound mail with attachments. Never answer 403, because Postmark then gives up.
 *
 * @example
 * ```ts
 * const auth = postmark({ secrets: process.env.POSTMARK_USER_AND_PASSWORD })
 * ```
 */
export const postmark: CodeSchemeFactory<SharedSecretOptions, '/RecordType'> = defineCodeScheme(
  POSTMARK,
  SHARED_SECRET_OPTIONS,
  ({ secrets }, authBy) => {
    const encoded = namedSecrets(secrets, 'secrets', secretText).map(({ id, secret }) => ({
      id,
      secret: encodeBase64(encoder.encode(secret)),
    }))
    const credentialsOf = signatureReader(POSTMARK.signature)
    return (evidence) => {
      const credentials = credentialsOf(evidence)
      if ('reason' in credentials) return credentials
      const [text = ''] = credentials
      if (!BASIC.test(text)) return fail('signature_mismatch', 'Authorization is not Basic')
      const holder = holderOf(encoded, text.replace(BASIC, ''))
      return holder === undefined ? mismatch('user and password are none of the secrets') : authBy(holder)
    }
  },
)
