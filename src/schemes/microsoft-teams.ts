import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'

/**
 * Verifies outgoing webhooks of Microsoft Teams by `Authorization: HMAC …`. The key is the security token that Teams shows once, when
 * you create the webhook. The signature covers only the body, an activity of the Bot Framework. The signed bytes are claimed, because
 * `id` is unique only within its conversation.
 *
 * Teams shows your handler's answer in the channel, so answer with a message: `{ "type": "message", "text": "…" }`.
 *
 * @example
 * ```ts
 * const auth = microsoftTeams({ secrets: process.env.TEAMS_SECURITY_TOKEN })
 * ```
 */
export const microsoftTeams: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    name: 'microsoft-teams',
    sender: 'Microsoft Teams (outgoing webhooks)',
    secretName: 'security token of the outgoing webhook',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'base64',
    signature: { headers: ['authorization'], prefix: 'HMAC ', spelling: 'base64' },
    signs: '{body}',
    dedupe: 'signed-bytes',
    eventId: { member: '/id' },
    eventType: { member: '/type' },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned: false,
      otherFormats: 'bots and message extensions of Microsoft Teams send a bearer token instead',
    },
    limits: 'The time, the URL and the headers are not signed.',
  },
  { keys: keyBytes },
)
