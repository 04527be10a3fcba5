import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { signatureInQuery } from './kit/query-signature.ts'

/**
 * Verifies webhooks from PandaDoc by the `signature` that it adds to the query of your URL. The shared key belongs to the webhook
 * subscription, in the Developer Dashboard. The signature covers the body alone: a list, which may hold several notifications.
 * The type is that of the first.
 *
 * The ID of `X-PandaDoc-Webhook-Event-Id` stays the same on retries, but it is not signed, so the signed bytes are claimed. Keep the query
 * out of your logs. [Read in November 2026](https://developers.pandadoc.com/docs/webhook-verification).
 *
 * @example
 * ```ts
 * const auth = pandadoc({ secrets: process.env.PANDADOC_SHARED_KEY })
 * ```
 */
export const pandadoc: SchemeFactory<SecretOptions> = schemeOf(
  {
    name: 'pandadoc',
    sender: 'PandaDoc',
    secretName: 'shared key of the webhook subscription',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: [], query: 'signature', spelling: 'hex' },
    signs: '{body}',
    eventId: { header: 'x-pandadoc-webhook-event-id' },
    eventType: { member: '/0/event' },
    maxBodyBytes: 4_194_304,
    facts: { unsigned: false },
    limits: 'The URL, the headers, the ID and the time are not signed.',
  },
  { query: signatureInQuery },
)
