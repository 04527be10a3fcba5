import { emptyReply, type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { handshakeAnswers, isSecret } from './kit/handshake-answers.ts'
import { TOKENS } from './kit/tokens.ts'

const VALIDATION = 'validation-token'
const VERIFICATION = 'verification-token'
/** In bytes. The request that validates the URL has an empty body: what is longer than `{}` is an event, and never lost to an echo. */
const LONGEST_CHALLENGE = 2

/**
 * Verifies webhooks from RingCentral by their `Verification-Token` header. The token is the `verificationToken` that you passed when
 * you created the subscription. Nothing is signed, and anyone who has seen the token can send anything, so add `allowedCidrs`.
 * Deliveries are claimed by their `uuid`. The `Validation-Token` of a new subscription is sent back for you.
 *
 * @example
 * ```ts
 * const auth = ringcentral({ secrets: process.env.RINGCENTRAL_VERIFICATION_TOKEN })
 * ```
 */
export const ringcentral: SchemeFactory<SecretOptions, '/event'> = schemeOf(
  {
    name: 'ringcentral',
    sender: 'RingCentral',
    secretName: 'verificationToken of the subscription',
    secretMadeBy: 'user',
    algorithm: 'token',
    key: 'text',
    signature: { headers: [VERIFICATION] },
    signs: '{body}',
    eventId: { member: '/uuid' },
    eventType: { member: '/event' },
    handshake: {
      signed: false,
      answer: ({ method, header, body }) => {
        const token = header(VALIDATION)
        if (method !== 'POST' || token === undefined || body.length > LONGEST_CHALLENGE) return undefined
        // RingCentral requires a content type, although there is no content.
        return isSecret(token) && token !== ''
          ? emptyReply(200, { [VALIDATION]: token, 'content-type': 'application/json' })
          : emptyReply(400)
      },
    },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned:
        'RingCentral sends a token only if the subscription has one: pass it as deliveryMode.verificationToken',
    },
    limits:
      'Nothing is signed: the token only identifies the caller, and anyone who has seen it can forge deliveries.',
  },
  { handshakes: handshakeAnswers, tokens: TOKENS },
)
