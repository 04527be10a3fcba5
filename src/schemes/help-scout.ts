import { type SchemeFactory, type SecretOptions, schemeOf, type TopicOptions } from './kit/define-scheme.ts'

/** Read on Help Scout's page, on 2026-11-30. */
const TOPICS: readonly string[] = [
  'convo.assigned',
  'convo.created',
  'convo.ai-answers.created',
  'convo.deleted',
  'convo.merged',
  'convo.moved',
  'convo.status',
  'convo.tags',
  'convo.custom-fields',
  'convo.customer.reply.created',
  'convo.agent.reply.created',
  'convo.note.created',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'satisfaction.ratings',
  'beacon.chat.created',
  'beacon.chat.customer.replied',
  'tag.created',
  'tag.updated',
  'tag.deleted',
  'message.survey.response.received',
]

/**
 * Verifies webhooks from Help Scout by their `X-HelpScout-Signature` header, an HMAC-SHA1. The key is the secret key that you entered in
 * the Webhooks app. The signature covers only the body.
 *
 * The body of two events may be the same conversation, so it is claimed once per event. The event, in `X-HelpScout-Event`, is not
 * signed: a captured delivery can run once under each, and once under all invented ones together. Add new events as `topics`.
 *
 * @example
 * ```ts
 * const auth = helpScout({ secrets: process.env.HELP_SCOUT_SECRET_KEY })
 * ```
 */
export const helpScout: SchemeFactory<SecretOptions & TopicOptions, 'x-helpscout-event'> = schemeOf({
  name: 'help-scout',
  sender: 'Help Scout',
  secretName: 'secret key of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha1',
  key: 'text',
  signature: { headers: ['x-helpscout-signature'], spelling: 'base64' },
  signs: '{body}',
  eventType: { header: 'x-helpscout-event' },
  topics: TOPICS,
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: false,
    otherSecrets: 'it is no application secret of OAuth 2.0, nor the secret of an app in the sidebar',
  },
  limits: 'The time, the URL and the headers are not signed: X-HelpScout-Event can be changed.',
})
