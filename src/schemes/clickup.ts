import { textAt } from '../lib/json.ts'
import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from ClickUp by their `X-Signature` header. The key is the `secret` that the API returns when you create the webhook:
 * each webhook has its own. The signature covers only the body. `event.id` is the ID of the first history item. It is claimed together
 * with the webhook and the event, because two events may tell of the same change. Events of spaces, folders, goals and key results, and
 * others without a history item, hold no time: the next update has the same body. So those claim nothing, and a retry runs again.
 * ClickUp suspends a webhook at once after a 401, so set the right secret before you create it for good.
 *
 * @example
 * ```ts
 * const auth = clickup({ secrets: process.env.CLICKUP_WEBHOOK_SECRET })
 * ```
 */
export const clickup: SchemeFactory<SecretOptions, '/event'> = schemeOf({
  name: 'clickup',
  sender: 'ClickUp',
  secretName: 'secret of the webhook',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-signature'], spelling: 'hex' },
  signs: '{body}',
  eventId: { member: '/history_items/0/id' },
  // ClickUp documents webhook and history item as the key; a new task sends taskCreated and taskStatusUpdated with the same item.
  claimedId(_, { payload }) {
    const item = textAt(payload, ['history_items', '0', 'id'])
    return item
      ? `${textAt(payload, ['webhook_id']) ?? ''}\n${textAt(payload, ['event']) ?? ''}\n${item}`
      : ''
  },
  bodiesRepeat: true,
  eventType: { member: '/event' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: false,
    otherKeys: { pk_: 'a personal API token' },
    otherSecrets: 'each webhook has its own, which the API returns as webhook.secret when you create it',
  },
  limits:
    'The time, the URL and the headers are not signed. Events without a history item are not claimed: they run on each retry.',
})
