import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Todoist by their `X-Todoist-Hmac-SHA256` header. The key is the client secret of the app. The signature covers
 * only the body. `X-Todoist-Delivery-ID`, the same on each retry, is not signed, so the signed bytes are claimed.
 *
 * @example
 * ```ts
 * const auth = todoist({ secrets: process.env.TODOIST_CLIENT_SECRET })
 * ```
 */
export const todoist: SchemeFactory<SecretOptions, '/event_name'> = schemeOf({
  name: 'todoist',
  sender: 'Todoist',
  secretName: 'client secret of the app',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-todoist-hmac-sha256'], spelling: 'base64' },
  signs: '{body}',
  eventId: { header: 'x-todoist-delivery-id' },
  eventType: { member: '/event_name' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: false,
    otherSecrets: "it is the app's, and neither its verification token nor a user's API token",
  },
  limits: 'The time, the URL and the headers are not signed: X-Todoist-Delivery-ID can be changed.',
})
