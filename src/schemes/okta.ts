import { jsonReply, type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'
import { TOKENS } from './kit/tokens.ts'

/**
 * Verifies Okta's event hooks. Pass the complete value that you entered for the `Authorization` header. Nothing is signed, and
 * anyone who has seen the token can send anything, so add `allowedCidrs`. Deliveries are claimed by `eventId`. The one-time
 * verification, a GET, is answered for you.
 *
 * @example
 * ```ts
 * const auth = okta({ secrets: process.env.OKTA_WEBHOOK_SECRET })
 * ```
 */
export const okta: SchemeFactory<SecretOptions, '/eventType'> = schemeOf(
  {
    name: 'okta',
    sender: 'Okta',
    secretName: 'secret of the event hook, as the Authorization header has it',
    secretMadeBy: 'user',
    algorithm: 'token',
    key: 'text',
    signature: { headers: ['authorization'] },
    signs: '{body}',
    eventId: { member: '/eventId' },
    eventType: { member: '/eventType' },
    handshake: {
      signed: false,
      answer: ({ method, header }) => {
        const verification = header('x-okta-verification-challenge')
        return method === 'GET' && verification !== undefined ? jsonReply({ verification }) : undefined
      },
    },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned:
        "Okta sends a secret only if the event hook has one: set it on the hook's page, for the authentication field Authorization",
    },
    limits:
      'Nothing is signed: the token only identifies the caller, and anyone who has seen it can forge deliveries.',
  },
  { handshakes: handshakeAnswers, tokens: TOKENS },
)
