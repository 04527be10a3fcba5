import { memberAt } from '../src/lib/json.ts'
import {
  defineScheme,
  type SchemeFactory,
  type SecretOptions,
  textReply,
} from '../src/scheme/define-scheme.ts'

/**
 * The body around one of Slack's events. The types of `@slack/types` are those of the inner event:
 * `slack<SlackEnvelope<SlackEvent>>(…)`.
 */
export type SlackEnvelope<Event> = Event extends unknown
  ? {
      readonly type: 'event_callback'
      readonly event_id: string
      readonly event_time: number
      readonly team_id: string
      readonly api_app_id: string
      readonly event: Event
    }
  : never

/**
 * Slack: events, slash commands and interactions. The signing secret is on the app's Basic Information page. The
 * signature covers a timestamp and the body. Events are claimed by their ID, commands and interactions by their signed
 * bytes. Answer within 3 seconds. The `url_verification` of a new endpoint is answered for you.
 *
 * Commands and interactions are forms. `event.payload` holds the fields, and an interaction's `payload` field is
 * parsed.
 *
 * @example
 * ```ts
 * const auth = slack({ secrets: process.env.SLACK_SIGNING_SECRET })
 * ```
 */
export const slack: SchemeFactory<SecretOptions, '/event/type'> = defineScheme({
  name: 'slack',
  sender: 'Slack',
  secretName: 'signing secret of the app',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-slack-signature'], prefix: 'v0=', spelling: 'hex' },
  signs: 'v0:{timestamp}:{body}',
  timestamp: { header: 'x-slack-request-timestamp', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  eventId: { member: '/event_id' },
  eventType: { member: '/event/type' },
  content: ['json', 'form'],
  jsonField: 'payload',
  handshake: {
    signed: true,
    answer: (request) => {
      const payload = request.payload()
      return memberAt(payload, ['type']) === 'url_verification'
        ? textReply(memberAt(payload, ['challenge']))
        : undefined
    },
  },
  maxBodyBytes: 1_048_576,
  facts: {
    otherKeys: {
      xoxb: 'a bot token',
      xoxp: 'a user token',
      xoxe: 'a refresh token',
      xapp: 'an app-level token',
    },
    otherSecrets: 'each app has its own; it is neither the client secret nor the verification token',
    formOrder:
      'token team_id team_domain enterprise_id enterprise_name channel_id channel_name user_id user_name command text api_app_id is_enterprise_install response_url trigger_id',
  },
  limits: 'The URL and the other headers are not signed.',
})
