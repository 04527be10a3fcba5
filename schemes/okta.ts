import { defineScheme, jsonReply, type SchemeFactory } from '../src/scheme/index.ts'

/**
 * Okta's event hooks: the value that you typed beside the `Authorization` header, in full. Nothing is signed. Anyone
 * who has seen the token can send anything, so prefer a signing scheme, or add `allowedCidrs`. Deliveries are claimed
 * by `eventId`. The one-time verification, a GET, is answered here.
 *
 * @example
 * ```ts
 * const auth = okta({ secrets: process.env.OKTA_WEBHOOK_SECRET })
 * ```
 */
export const okta: SchemeFactory = defineScheme({
  name: 'okta',
  sender: 'Okta',
  secretName: 'secret of the event hook, as the Authorization header has it',
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
  limits:
    'Nothing is signed: the token vouches for the caller alone, and anyone who has seen it can make deliveries up.',
})
