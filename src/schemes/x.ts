import { hmacWith } from '#crypto'
import { namedSecrets, secretText } from '../auth/secrets.ts'
import { encodeUtf8 } from '../lib/bytes.ts'
import { parseJson } from '../lib/json.ts'
import type { BodyForm } from '../scheme.ts'
import {
  emptyReply,
  jsonReply,
  type SchemeFactory,
  type SchemeOptions,
  type SecretOptions,
  schemeOf,
} from './kit/define-scheme.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'

/** What the challenge signs for anyone: no JSON object is such a text, so none of these signatures is that of a delivery. */
const CRC_TOKEN = /^[A-Za-z0-9+/=._~-]{1,256}$/
const PREFIX = 'sha256='

/** JSON, but neither a number nor `true`, `false` or `null`, which anyone can have signed as a token. */
const JSON_OBJECT: BodyForm = {
  mediaTypes: ['application/json'],
  contentType: 'application/json',
  is: 'a JSON object',
  read(body) {
    const parsed = parseJson(body)
    const value = 'value' in parsed ? parsed.value : null
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  },
  json: (body) => body,
  write: (event) => new Uint8Array(event),
}

/**
 * Verifies webhooks from X (Twitter) by their `X-Twitter-Webhooks-Signature` header. The key is the app's consumer secret, which X
 * also calls API secret key, not the bearer token. The signature covers only the body. Deliveries have no ID, so the signed bytes
 * are claimed, and a captured delivery cannot run again while they are remembered.
 *
 * The recurring challenge (CRC), a GET with a `crc_token`, is answered for you, with the first of `secrets`. The answer is a
 * signature of the token, so only tokens of letters, digits and `+/=._~-` are answered, and only JSON objects are deliveries.
 *
 * @example
 * ```ts
 * const auth = x({ secrets: process.env.X_CONSUMER_SECRET })
 * ```
 */
export const x: SchemeFactory<SecretOptions> = schemeOf(
  {
    name: 'x',
    sender: 'X (Twitter)',
    secretName: 'consumer secret of the app',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-twitter-webhooks-signature'], prefix: PREFIX, spelling: 'base64' },
    signs: '{body}',
    content: [JSON_OBJECT],
    handshake: {
      signed: false,
      answer: ({ method, query }, options) => {
        const token = method === 'GET' ? query('crc_token') : undefined
        if (token === undefined) return undefined
        return CRC_TOKEN.test(token) ? challengeReply(token, options) : emptyReply(400)
      },
    },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned: false,
      otherSecrets: 'each app has its own; it is neither the bearer token nor a client secret of OAuth 2.0',
    },
    limits: 'The time, the URL and the headers are not signed.',
  },
  { handshakes: handshakeAnswers },
)

/** HMAC-SHA256 of the token with the consumer secret. */
async function challengeReply(token: string, { secrets }: SchemeOptions) {
  const [first] = namedSecrets(secrets, 'secrets', secretText)
  const mac = hmacWith('sha256', encodeUtf8(first?.secret), 'base64')
  return jsonReply({ response_token: `${PREFIX}${await mac('', encodeUtf8(token), '')}` })
}
