import { memberAt } from '../lib/json.ts'
import {
  emptyReply,
  jsonReply,
  type PublicKeyOptions,
  type SchemeFactory,
  schemeOf,
} from './kit/define-scheme.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'
import { publicKeyMatcher } from './kit/public-keys.ts'

/**
 * Verifies interactions and webhook events from Discord, signed with Ed25519. Discord sends wrong signatures on purpose and
 * expects a 401. The PING of either kind is answered for you.
 *
 * The public key is in the Developer Portal, on the app's General Information page. Discord documents no tolerance, so
 * none is set by default. Interactions are claimed by their ID, webhook events by their signed bytes.
 *
 * @example
 * ```ts
 * const auth = discord({ publicKeys: process.env.DISCORD_PUBLIC_KEY })
 * ```
 */
export const discord: SchemeFactory<PublicKeyOptions, '/event/type'> = schemeOf(
  {
    name: 'discord',
    sender: 'Discord',
    secretName: 'public key of the app, in hex',
    secretMadeBy: 'sender',
    algorithm: 'ed25519',
    key: 'hex',
    signature: { headers: ['x-signature-ed25519'], spelling: 'hex' },
    signs: '{timestamp}{body}',
    timestamp: { header: 'x-signature-timestamp', unit: 'seconds', of: 'attempt' },
    eventId: { member: '/id' },
    eventType: { member: '/event/type' },
    handshake: {
      signed: true,
      answer: (request) => {
        const payload = request.payload()
        const type = memberAt(payload, ['type'])
        // The PING of interactions is 1, that of webhook events is 0. An event is also 1.
        if (type === 1 && memberAt(payload, ['event']) === undefined) return jsonReply({ type: 1 })
        return type === 0 ? emptyReply(204) : undefined
      },
    },
    maxBodyBytes: 1_048_576,
    maxRunSeconds: 540, // and a lease: Discord retries for 10 minutes
    facts: {
      unsigned: false,
      tests:
        'Discord sends wrong signatures on purpose and expects a 401: without other refusals, nothing is wrong',
      otherSecrets:
        'each app has its own; it is neither the bot token, the client secret nor the application ID',
    },
    limits: 'The URL and the other headers are not signed.',
  },
  { publicKeys: publicKeyMatcher, handshakes: handshakeAnswers },
)
