import { constantTimeEqual, hmacWith } from '#crypto'
import { decodeUtf8 } from '../src/lib/bytes.ts'
import type { Json } from '../src/lib/json.ts'
import { whenKnown } from '../src/lib/maybe-promise.ts'
import { fail } from '../src/reason.ts'
import {
  defineScheme,
  emptyReply,
  type HandshakeOptions,
  type SchemeFactory,
  type SecretOptions,
} from '../src/scheme/define-scheme.ts'
import { acceptSecret } from '../src/scheme/handshake-answers.ts'

const SIGNATURE = 'x-notion-signature'
const PREFIX = 'sha256='
/** In bytes. */
const LONGEST_HANDSHAKE = 1024
/** An object whose only member, once, is a token. Notion escapes none of its characters. */
const TOKEN_ALONE =
  /^[ \t\r\n]*\{[ \t\r\n]*"verification_token"[ \t\r\n]*:[ \t\r\n]*"([!#-[\]-~]{1,256})"[ \t\r\n]*\}[ \t\r\n]*$/

/** The token of a handshake. Undefined if the body is anything else. */
function tokenOf(body: Uint8Array): string | undefined {
  const text = body.length > LONGEST_HANDSHAKE ? undefined : decodeUtf8(body)
  return text === undefined ? undefined : TOKEN_ALONE.exec(text)?.[1]
}

function isHandshake(payload: Json | undefined): boolean {
  return typeof payload === 'object' && payload !== null && `${Object.keys(payload)}` === 'verification_token'
}

/**
 * Notion: `X-Notion-Signature`. The key is the verification token, which Notion posts to the endpoint when you create
 * the subscription, signed with the token itself. Pass `onHandshake` to receive the token, enter it on Notion's page and store it.
 * Then pass it as `secrets` and omit `onHandshake`. With both, only a token that comes signed with one of `secrets` is received.
 * The signature covers the body, which holds the event's ID and time.
 *
 * @example
 * ```ts
 * const auth = notion({ secrets: process.env.NOTION_VERIFICATION_TOKEN })
 * ```
 */
export const notion: SchemeFactory<SecretOptions & HandshakeOptions, '/type'> = defineScheme({
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
      const token = tokenOf(body)
      const accept = () => acceptSecret(token ?? '', onHandshake, emptyReply(200))
      if (secretId !== undefined) {
        if (!isHandshake(request.payload())) return undefined
        if (onHandshake !== undefined && token !== undefined) return accept()
        return fail('body_malformed', 'the body is a verification token, which only onHandshake takes')
      }
      if (method !== 'POST' || onHandshake === undefined || token === undefined) return undefined
      const given = request.list(SIGNATURE)
      if (given === undefined) return accept()
      const mac = hmacWith('sha256', new TextEncoder().encode(token), 'hex')('', body, '')
      return whenKnown(mac, (hex) => (constantTimeEqual(PREFIX + hex, given) ? accept() : undefined))
    },
  },
  maxBodyBytes: 1_048_576,
  limits: 'The URL and the other headers are not signed.',
})
