import { mediaTypeOf } from '../lib/content-type.ts'
import { memberAt } from '../lib/json.ts'
import { warnOfCut } from './kit/cut-secrets.ts'
import {
  emptyReply,
  type SchemeFactory,
  type SecretOptions,
  schemeOf,
  textReply,
} from './kit/define-scheme.ts'
import { FORM } from './kit/form-fields.ts'
import { FORMS } from './kit/forms.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'

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
      readonly command?: undefined
      readonly payload?: undefined
    }
  : never

/** The form of a slash command. It has neither `type` nor `event`, so `event.type` is undefined. Every field is text. */
export interface SlackCommand {
  /** The name of the command, with its slash. */
  readonly command: string
  /** What the user typed after the command. May be empty. */
  readonly text: string
  /** Accepts up to 5 messages within 30 minutes. */
  readonly response_url: string
  /** Opens a modal. Expires after 3 seconds. */
  readonly trigger_id: string
  /** The user who typed the command. */
  readonly user_id: string
  /** The name of the user. Slack advises against relying on it. */
  readonly user_name: string
  /** The workspace. */
  readonly team_id: string
  /** The workspace's part of its URL. */
  readonly team_domain: string
  /** Where the command was typed. */
  readonly channel_id: string
  /** The name of the channel. */
  readonly channel_name: string
  /** Your app. */
  readonly api_app_id: string
  /** Whether the app is installed for the whole organisation. */
  readonly is_enterprise_install?: 'true' | 'false'
  /** The organisation of the workspace, if it has one. */
  readonly enterprise_id?: string
  /** The name of the organisation. */
  readonly enterprise_name?: string
  /** The verification token that Slack has deprecated: the signature replaces it. */
  readonly token?: string
  /** Set only in interactions. */
  readonly payload?: undefined
  /** Set only in the JSON of events. */
  readonly type?: undefined
  /** Set only in the JSON of events. */
  readonly event?: undefined
}

/**
 * The form of an interaction, whose only field holds its JSON. The form has neither `type` nor `event`, so `event.type` is
 * undefined: read `event.payload.payload.type`. `Payload` is one or several of the types of `@slack/bolt`, e.g. `BlockAction`.
 */
export interface SlackInteraction<Payload = { readonly type: string }> {
  /** The JSON of the form's only field, parsed. */
  readonly payload: Payload
  /** Set only in commands. */
  readonly command?: undefined
  /** Set only in the JSON of events. */
  readonly type?: undefined
  /** Set only in the JSON of events. */
  readonly event?: undefined
}

/** Slack's notice that it holds back events of this minute. It has no `event`, so `event.type` is undefined. */
export interface SlackRateLimit {
  /** Always this text. */
  readonly type: 'app_rate_limited'
  /** In Unix seconds. */
  readonly minute_rate_limited: number
  /** The workspace. */
  readonly team_id: string
  /** Your app. */
  readonly api_app_id: string
  /** Set only in the JSON of events. */
  readonly event?: undefined
  /** Set only in commands. */
  readonly command?: undefined
  /** Set only in interactions. */
  readonly payload?: undefined
}

/** What may stand beside `ssl_check=1`: once Slack's proof, of 24 letters and digits. */
/** In bytes. */
const LONGEST_CHECK = 300
const TOKEN = /^token=[^&]{0,256}&|&token=[^&]{0,256}$/

/**
 * Verifies events, slash commands and interactions from Slack. The signing secret is on the app's Basic Information page. The
 * signature covers a timestamp and the body. Events are claimed by their ID, commands and interactions by their signed bytes.
 * Answer within 3 seconds. The `url_verification` of a new endpoint is answered for you, and so is `ssl_check=1`, the only
 * request that Slack does not sign: it checks the certificate of a command's URL.
 *
 * Commands and interactions are forms, and have no `event.type`. For a command, `event.payload` is a `SlackCommand`: its fields.
 * For an interaction it is a `SlackInteraction`: `{ payload }`, with the parsed JSON of its only field.
 * `slack<SlackEnvelope<SlackEvent>>({ … })` types all of them.
 *
 * @example
 * ```ts
 * const auth = slack({ secrets: process.env.SLACK_SIGNING_SECRET })
 * ```
 */
export const slack: SchemeFactory<
  SecretOptions,
  '/event/type',
  SlackCommand | SlackInteraction | SlackRateLimit
> = schemeOf(
  {
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
      // The check of a certificate: the query of a GET without a body, or the form of a POST without a query.
      answerUnsigned({ method, header, queryText, text }) {
        const form = text(LONGEST_CHECK)
        if (form === undefined) return undefined
        const isForm = method === 'POST' && mediaTypeOf(header('content-type') ?? '') === FORM
        const query = queryText() ?? ''
        if (method === 'GET' ? form : !isForm || query) return undefined
        return (query + form).replace(TOKEN, '') === 'ssl_check=1' ? emptyReply(200) : undefined
      },
    },
    maxBodyBytes: 1_048_576,
    maxRunSeconds: 300, // and a lease: Slack sends its last attempt after 6 minutes
    facts: {
      unsigned: 'Slack signs all but ssl_check=1',
      otherKeys: {
        xoxb: 'a bot token',
        xoxp: 'a user token',
        xoxe: 'a refresh token',
        xapp: 'an app-level token',
      },
      hexDigits: 32,
      otherSecrets: 'each app has its own; it is neither the client secret nor the verification token',
    },
    limits: 'The URL and the other headers are not signed.',
  },
  { handshakes: handshakeAnswers, forms: FORMS, checksSecret: warnOfCut },
)
