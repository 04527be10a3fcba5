import { emptyReply, type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'

/**
 * Verifies webhooks from SurveyMonkey by their `Sm-Signature` header, an HMAC-SHA1. The key is the app's client ID, `&`, and its client
 * secret, joined without spaces. The signature covers only the body, which holds the event's ID. The HEAD that SurveyMonkey sends when you
 * create the webhook is answered for you.
 *
 * @example
 * ```ts
 * const { SURVEYMONKEY_CLIENT_ID, SURVEYMONKEY_SECRET } = process.env
 * const auth = surveymonkey({ secrets: `${SURVEYMONKEY_CLIENT_ID}&${SURVEYMONKEY_SECRET}` })
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
  { handshakes: handshakeAnswers },
)
