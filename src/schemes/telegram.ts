import { type SchemeFactory, schemeOf } from './kit/define-scheme.ts'
import { TOKENS } from './kit/tokens.ts'

/**
 * Verifies webhooks from Telegram's Bot API by their `X-Telegram-Bot-Api-Secret-Token` header. The token is the `secret_token`
 * that you passed to `setWebhook`. Nothing is signed, and anyone who has seen the token can send anything, so add
 * `allowedCidrs`. Updates are claimed by `update_id`, which counts per bot, so give each bot a listener of its own.
 *
 * @example
 * ```ts
 * const auth = telegram({ secrets: process.env.TELEGRAM_WEBHOOK_SECRET })
 * ```
 */
export const telegram: SchemeFactory = schemeOf(
  {
    name: 'telegram',
    sender: 'Telegram',
    secretName: 'secret_token of setWebhook',
    secretMadeBy: 'user',
    algorithm: 'token',
    key: 'text',
    signature: { headers: ['x-telegram-bot-api-secret-token'] },
    signs: '{body}',
    eventId: { member: '/update_id' },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned: 'Telegram sends a token only if the webhook has one: pass it to setWebhook as secret_token',
    },
    limits:
      'Nothing is signed: the token only identifies the caller, and anyone who has seen it can forge deliveries.',
  },
  { tokens: TOKENS },
)
