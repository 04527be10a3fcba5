import { constantTimeEqual, hmacWith } from '#crypto'
import { encodeUtf8 } from '../lib/bytes.ts'
import { type Json, memberAt, parseJson } from '../lib/json.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import { parseTime } from '../lib/time.ts'
import { fail } from '../reason.ts'
import { emptyReply, type HandshakeOptions, type SchemeFactory, schemeOf } from './kit/define-scheme.ts'
import { acceptSecret, handshakeAnswers, isSecret } from './kit/handshake-answers.ts'
import { jsonExcess } from './kit/read-limits.ts'

const SIGNATURE = 'x-notion-signature'
const PREFIX = 'sha256='
/** In bytes. */
const LONGEST_HANDSHAKE = 1024

/** The token of a handshake. Undefined if the body is anything else, or repeats the member. */
function tokenOf(text = ''): string | undefined {
  const body = encodeUtf8(text)
  if (jsonExcess(body, 1) !== undefined) return undefined
  const parsed = parseJson(body)
  const token = 'value' in parsed ? memberAt(parsed.value, ['verification_token']) : undefined
  return typeof token === 'string' && isSecret(token) ? token : undefined
}

function isHandshake(payload: Json | undefined): boolean {
  return typeof payload === 'object' && payload !== null && `${Object.keys(payload)}` === 'verification_token'
}

/**
 * Verifies webhooks from Notion by their `X-Notion-Signature` header. The key is the verification token, which Notion posts to
 * the endpoint when you create the subscription, signed with the token itself. Pass `onHandshake` to receive the token, enter
 * it on Notion's page and store it. Then pass it as `secrets` and omit `onHandshake`. With both, only a token that comes
 * signed with one of `secrets` is received. The signature covers the body, which holds the event's ID and time.
 *
 * @example
 * ```ts
 * const auth = notion({ secrets: process.env.NOTION_VERIFICATION_TOKEN })
 * ```
 */
export const notion: SchemeFactory<HandshakeOptions, '/type'> = schemeOf(
  {
    name: 'notion',
    sender: 'Notion',
    secretName: 'verification token of the subscription',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: [SIGNATURE], prefix: PREFIX, spelling: 'hex' },
    signs: '{body}',
    timestamp: { member: '/timestamp', unit: 'rfc3339', of: 'event', toleranceSeconds: 172_800 },
    eventId: { member: '/id' },
    eventType: { member: '/type' },
    takes: ['onHandshake'],
    handshake: {
      signed: false,
      bringsItsKey: true,
      answer: (request, { onHandshake }) => {
        const { body, method, secretId } = request
        if (secretId !== undefined && !isHandshake(request.payload())) return undefined
        const token = onHandshake && tokenOf(request.text(LONGEST_HANDSHAKE))
        const accept = () => acceptSecret(token ?? '', onHandshake, emptyReply(200))
        if (secretId !== undefined) {
          return token === undefined
            ? fail('body_malformed', 'the body is a verification token, which only onHandshake takes')
            : accept()
        }
        if (method !== 'POST' || token === undefined) return undefined
        const given = request.list(SIGNATURE)
        if (given === undefined) return accept()
        const mac = hmacWith('sha256', encodeUtf8(token), 'hex')('', body, '')
        return whenKnown(mac, (hex) => (constantTimeEqual(PREFIX + hex, given) ? accept() : undefined))
      },
    },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned:
        'Notion signs the events of a subscription, not what Send webhook in a button or an automation sends: create a subscription in the settings of the integration',
    },
    limits: 'The URL and the other headers are not signed.',
  },
  { handshakes: handshakeAnswers, dates: parseTime },
)
