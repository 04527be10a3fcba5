import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Modern Treasury by their `X-Signature` header. The key is the webhook key, in the settings under
 * Developers, Webhooks. The signature covers the body, which holds neither an ID nor the time of the delivery. The ID is the unsigned
 * header `X-Webhook-ID`, so the signed bytes are claimed. `event.type` is what happened, e.g. `created`; `event.payload.data.object`
 * is what it happened to.
 *
 * @example
 * ```ts
 * const auth = modernTreasury({ secrets: process.env.MODERN_TREASURY_WEBHOOK_KEY })
 * ```
 */
export const modernTreasury: SchemeFactory<SecretOptions, '/event'> = schemeOf({
  name: 'modern-treasury',
  sender: 'Modern Treasury',
  secretName: 'webhook key',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-signature'], spelling: 'hex' },
  signs: '{body}',
  eventId: { header: 'x-webhook-id' },
  eventType: { member: '/event' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: false,
    otherSecrets: 'live and test mode have their own',
    mode: { member: '/data/live_mode', live: true, test: false },
  },
  limits: 'The time, the URL and the headers are not signed: X-Webhook-ID and X-Topic can be changed.',
})
