import { JSON_OR_LINES } from './kit/body-formats.ts'
import { type SchemeFactory, schemeOf } from './kit/define-scheme.ts'
import { TOKENS } from './kit/tokens.ts'

/**
 * Verifies Auth0's custom log streams. Pass the complete value that you entered as authorization token. Nothing is signed, and
 * anyone who has seen the token can send anything, so add `allowedCidrs`. Deliveries are claimed by their bodies, whose log
 * IDs never repeat. `event.payload` depends on the stream's content format. It is a list for JSON Array, and an object for
 * JSON Object. For JSON Lines it is a list, or an object if there is only one line.
 *
 * @example
 * ```ts
 * const auth = auth0({ secrets: process.env.AUTH0_WEBHOOK_SECRET })
 * ```
 */
export const auth0: SchemeFactory = schemeOf(
  {
    name: 'auth0',
    sender: 'Auth0',
    secretName: 'authorization token of the log stream, in full',
    secretMadeBy: 'user',
    algorithm: 'token',
    key: 'text',
    signature: { headers: ['authorization'] },
    signs: '{body}',
    content: [JSON_OR_LINES],
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned:
        'Auth0 sends a token only if the log stream has one: enter it as Authorization Token in the settings of the stream',
    },
    limits:
      'Nothing is signed: the token only identifies the caller, and anyone who has seen it can forge deliveries.',
  },
  { tokens: TOKENS },
)
