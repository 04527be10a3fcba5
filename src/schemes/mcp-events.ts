import { memberAt, textAt } from '../lib/json.ts'
import { jsonReply, type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/** In characters. */
const LONGEST_CHALLENGE = 1024

/**
 * Verifies events of MCP servers, by a **draft**: the design sketch of the Model Context Protocol's extension for events, as of commit
 * 6104601 of `experimental-ext-triggers-events`. It may change. Servers sign by Standard Webhooks v1, with the `whsec_` secret that
 * your client chose for the subscription (`delivery.secret`). The signature covers the ID, the time and the body.
 *
 * Make a listener for each subscription, in a lookup by `X-MCP-Subscription-Id`. That header is not signed, and only chooses the secret:
 * answer 503 for one that you do not know yet. Events are claimed by their signed `eventId`, and other messages by their `webhook-id`. A body
 * with a `type`, such as `gap` or `terminated`, is about the subscription, and has no `event.type`. The challenge that verifies the
 * endpoint is answered for you, once its signature fits.
 *
 * @example
 * ```ts
 * const auth = mcpEvents({ secrets: process.env.MCP_SUBSCRIPTION_SECRET })
 * ```
 */
export const mcpEvents: SchemeFactory<SecretOptions, '/name'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'mcp-events',
    sender: 'MCP Events (draft)',
    secretName: 'secret of the subscription, whsec_…',
    eventType: { member: '/name' },
    claimedId: (_, { payload }) => textAt(payload, ['eventId']) ?? '',
    handshake: {
      signed: true,
      answer: (request) => {
        const payload = request.payload()
        const challenge = memberAt(payload, ['challenge'])
        const asks = memberAt(payload, ['type']) === 'verification' && typeof challenge === 'string'
        return asks && challenge !== '' && challenge.length <= LONGEST_CHALLENGE
          ? jsonReply({ challenge })
          : undefined
      },
    },
    limits: 'The URL and the other headers are not signed: X-MCP-Subscription-Id can be changed.',
  },
  { handshakes: handshakeAnswers, keys: keyBytes },
)
