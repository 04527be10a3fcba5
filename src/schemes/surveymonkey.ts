import type { SenderScheme } from '../code-scheme.ts'
import { ListenerConfigError } from '../errors.ts'
import { emptyReply, type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'

/** Joined from variables that are not set, the secret would be a text that everybody knows: `undefined&undefined`. */
function refuseHalves(_scheme: SenderScheme, place: string, secret: string): void {
  const parts = secret.split('&')
  const areThere = parts.every((part) => !['', 'undefined', 'null', 'None'].includes(part.trim()))
  if (parts.length !== 2 || !areThere)
    throw new ListenerConfigError(place, 'must be two values with one & between them, and both must be set')
}

/**
 * Verifies webhooks from SurveyMonkey by their `Sm-Signature` header, an HMAC-SHA1. The key is the app's client ID, `&`, and its client
 * secret, joined without spaces. The signature covers only the body, which holds the event's ID. The HEAD that SurveyMonkey sends when you
 * create the webhook is answered for you.
 *
 * @example
 * ```ts
 * const auth = surveymonkey({ secrets: process.env.SURVEYMONKEY_SECRET }) // client_id&secret
 * ```
 */
export const surveymonkey: SchemeFactory<SecretOptions, '/event_type'> = schemeOf(
  {
    name: 'surveymonkey',
    sender: 'SurveyMonkey',
    secretName: 'client ID and the secret of the app, joined by &',
    secretMadeBy: 'user',
    algorithm: 'hmac-sha1',
    key: 'text',
    signature: { headers: ['sm-signature'], spelling: 'base64' },
    signs: '{body}',
    eventId: { member: '/event_id' },
    eventType: { member: '/event_type' },
    handshake: {
      signed: false,
      answer: ({ method }) => (method === 'HEAD' ? emptyReply(200) : undefined),
    },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned: false,
      otherSecrets: 'it is two values, client_id&secret, and neither alone nor the access token',
    },
    limits: 'The time, the URL and the headers are not signed.',
  },
  { handshakes: handshakeAnswers, checksSecret: refuseHalves },
)
