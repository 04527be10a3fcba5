import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { TOKENS } from './kit/tokens.ts'

/**
 * Verifies server messages from Vapi by the token of a Bearer Token credential: in the `Authorization` header, with or without `Bearer`,
 * or in `X-Vapi-Secret`. Pass the token alone. For an HMAC credential, whose header, algorithm and payload you choose, use
 * `defineScheme`.
 *
 * Nothing is signed, and anyone who has seen the token can send anything. Messages have no ID, and equal ones are genuine, so nothing
 * is claimed. Vapi waits for the answer to some of them, such as `tool-calls`: answer with a body.
 *
 * @example
 * ```ts
 * const auth = vapi({ secrets: process.env.VAPI_SERVER_TOKEN })
 * ```
 */
export const vapi: SchemeFactory<SecretOptions, '/message/type'> = schemeOf(
  {
    name: 'vapi',
    sender: 'Vapi',
    secretName: 'token of the Bearer Token credential, without Bearer',
    secretMadeBy: 'user',
    algorithm: 'token',
    key: 'text',
    signature: { headers: ['authorization', 'x-vapi-secret'], prefix: 'Bearer ', prefixOptional: true },
    signs: '{body}',
    eventType: { member: '/message/type' },
    dedupe: 'off',
    maxBodyBytes: 4_194_304,
    facts: {
      unsigned:
        'Vapi authenticates only if the server URL has a credential: create a Custom Credential of the type Bearer Token, and set its credentialId on the server',
    },
    limits:
      'Nothing is signed: the token only identifies the caller, and anyone who has seen it can forge deliveries. Messages repeat, so a replay cannot be told from a new one.',
  },
  { tokens: TOKENS },
)
