import { jsonInMultipart } from './kit/body-formats.ts'
import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { PRE_AUTH_BODY } from './kit/pre-auth-body.ts'

/**
 * Verifies webhooks from Dropbox Sign (formerly HelloSign) by their `event_hash` in the body. The key is your API key, on the
 * account's API page. The signature covers only the event's time and type. Fetch the signature request to learn what happened
 * to it.
 *
 * Events of the same type and second share a signature, so nothing is claimed (`dedupe: 'off'`). Your handler runs for
 * every delivery, including replays. `event.payload` is the JSON of the form's `json` field. Answer 200 with the text
 * `Hello API Event Received`, or Dropbox Sign sends the event again.
 *
 * @example
 * ```ts
 * const auth = dropboxSign({ secrets: process.env.DROPBOX_SIGN_WEBHOOK_SECRET })
 * ```
 */
export const dropboxSign: SchemeFactory<SecretOptions, '/event/event_type'> = schemeOf(
  {
    name: 'dropbox-sign',
    sender: 'Dropbox Sign',
    secretName: 'API key of the account',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: [], member: '/event/event_hash', spelling: 'hex' },
    signs: '{/event/event_time}{/event/event_type}',
    timestamp: { member: '/event/event_time', asText: true, unit: 'seconds', of: 'event' },
    eventType: { member: '/event/event_type' },
    dedupe: 'off',
    content: [/* @__PURE__ */ jsonInMultipart('json')],
    maxBodyBytes: 262_144,
    maxFields: 5000, // every field of the document is listed, with up to seven members
    facts: { unsigned: false },
    limits: 'Only the time and the type of the event are signed. A replay cannot be told from a new event.',
  },
  { preAuth: PRE_AUTH_BODY },
)
