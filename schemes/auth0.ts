import { defineScheme, type SchemeFactory } from '../src/scheme/index.ts'
import { JSON_OR_LINES } from '../src/scheme/json-lines.ts'

/**
 * Auth0's custom log streams: the value that you typed as authorization token, in full. Nothing is signed. Anyone who has
 * seen the token can send anything, so add `allowedCidrs`. Deliveries are claimed by their bodies, whose log IDs never
 * repeat. `event.payload` is what the stream's content format makes it: a list for JSON Array, an object for JSON Object, and
 * for JSON Lines a list, or an object if there is one line.
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
  content: [JSON_OR_LINES],
  maxBodyBytes: 1_048_576,
  limits:
    'Nothing is signed: the token vouches for the caller alone, and anyone who has seen it can make deliveries up.',
})
