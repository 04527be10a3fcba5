import { defineScheme, type SchemeFactory } from '../src/scheme/index.ts'

/**
 * Auth0's custom log streams: the value that you typed as authorization token, in full. Nothing is signed. Anyone who has
 * seen the token can send anything, so add `allowedCidrs`. Deliveries are claimed by their bodies, whose log IDs never
 * repeat. Choose JSON Array or JSON Object as the stream's content format: JSON Lines is not read.
 *
 * @example
 * ```ts
 * const auth = auth0({ secrets: process.env.AUTH0_WEBHOOK_SECRET })
 * ```
 */
export const auth0: SchemeFactory = defineScheme({
  name: 'auth0',
  sender: 'Auth0',
  secretName: 'authorization token of the log stream, in full',
  algorithm: 'token',
  key: 'text',
  signature: { headers: ['authorization'] },
  signs: '{body}',
  maxBodyBytes: 1_048_576,
  limits:
    'Nothing is signed: the token vouches for the caller alone, and anyone who has seen it can make deliveries up.',
})
