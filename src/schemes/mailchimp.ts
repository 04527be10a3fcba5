import { emptyReply, type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { FORMS } from './kit/forms.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'
import { signatureInQuery } from './kit/query-signature.ts'
import { TOKENS } from './kit/tokens.ts'

/**
 * Verifies webhooks of Mailchimp's audiences by a secret in their URL. Choose a secret, write it into the webhook's URL,
 * `https://example.com/hooks?secret=…`, and pass it as `secrets`. Keep the query out of your logs.
 *
 * Nothing is signed, and anyone who has seen the URL can send anything, so fetch the member from Mailchimp's API. Bodies are forms, and
 * claimed as they are. The GET by which Mailchimp checks a new URL is answered for you. Mailchimp Transactional signs in another way.
 *
 * @example
 * ```ts
 * const auth = mailchimp({ secrets: process.env.MAILCHIMP_URL_SECRET })
 * ```
 */
export const mailchimp: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    name: 'mailchimp',
    sender: 'Mailchimp',
    secretName: 'secret that you wrote into the URL of the webhook, ?secret=…',
    secretMadeBy: 'user',
    algorithm: 'token',
    key: 'text',
    signature: { headers: [], query: 'secret' },
    signs: '{body}',
    eventType: { member: '/type' },
    content: ['form'],
    handshake: {
      signed: false,
      answer: ({ method }) => (method === 'GET' ? emptyReply(200) : undefined),
    },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned:
        'Mailchimp sends a secret only if the URL of the webhook has one: write it there, as ?secret=…',
      otherVersions: {
        'x-mandrill-signature': { is: 'a signature of Mailchimp Transactional, another product' },
      },
    },
    limits:
      'Nothing is signed: the secret in the URL only identifies the caller, and anyone who has seen it can forge deliveries.',
  },
  { query: signatureInQuery, handshakes: handshakeAnswers, forms: FORMS, tokens: TOKENS },
)
