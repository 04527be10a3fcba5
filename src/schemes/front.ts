import { memberAt } from '../lib/json.ts'
import { jsonReply, type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'

const LONGEST_CHALLENGE = 1024

/**
 * Verifies Front's application webhooks by their `X-Front-Signature` header. The key is the app's signing key. The signature covers
 * the time of the attempt, in `X-Front-Request-Timestamp`, and the body, which holds the event's ID. The signed challenge that Front
 * sends when you save the webhook is answered for you.
 *
 * Rule webhooks have the same header, but sign in another way: receive them with `frontRules`, at a URL of their own.
 *
 * @example
 * ```ts
 * const auth = front({ secrets: process.env.FRONT_SIGNING_KEY })
 * ```
 */
export const front: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    name: 'front',
    sender: 'Front',
    secretName: 'signing key of the app',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-front-signature'], spelling: 'base64' },
    signs: '{timestamp}:{body}',
    timestamp: {
      header: 'x-front-request-timestamp',
      unit: 'milliseconds',
      of: 'attempt',
      toleranceSeconds: 300,
    },
    eventId: { member: '/payload/id' },
    eventType: { member: '/type' },
    handshake: {
      signed: true,
      answer: (request) => {
        // The challenge is not signed, but the type is: otherwise a challenge added on the way would hide an event.
        if (memberAt(request.payload(), ['type']) !== 'sync') return undefined
        const challenge = request.header('x-front-challenge')
        return challenge && challenge.length <= LONGEST_CHALLENGE ? jsonReply({ challenge }) : undefined
      },
    },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned: false,
      otherSecrets: 'rule webhooks are signed with the API secret, which is for frontRules',
    },
    limits: 'The URL and the other headers are not signed.',
  },
  { handshakes: handshakeAnswers },
)
