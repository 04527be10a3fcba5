import { textAt } from '../lib/json.ts'
import { basicScheme } from './kit/basic-credentials.ts'
import type { CodeSchemeFactory, SharedSecretOptions } from './kit/define-scheme.ts'

/**
 * Verifies webhooks (version 2) from Pipedrive by HTTP Basic authentication, with a user and a password that you choose. Enter them
 * as HTTP Auth when you create the webhook, and pass `user:password` as `secrets`.
 *
 * Nothing is signed, and anyone who has seen the password can send anything. Deliveries are claimed by `meta.id`, because
 * `meta.attempt` changes on retries. `event.type` is action and object, e.g. `create.deal`.
 *
 * @example
 * ```ts
 * const auth = pipedrive({ secrets: process.env.PIPEDRIVE_USER_AND_PASSWORD })
 * ```
 */
export const pipedrive: CodeSchemeFactory<SharedSecretOptions> = basicScheme(
  {
    name: 'pipedrive',
    sender: 'Pipedrive',
    secretName: 'user:password, as HTTP Auth of the webhook has them',
    secretMadeBy: 'user',
    dedupe: 'id',
    eventId: { member: '/meta/id' },
    eventType: { member: '/meta/action' },
    maxBodyBytes: 1_048_576,
    maxRunSeconds: 123, // of the 183 s in which Pipedrive retries
    facts: {
      unsigned:
        'Pipedrive authenticates only if the webhook has credentials: create it with an HTTP Auth username and password',
      otherFormats: 'the older version 1 has other members: create the webhook with version 2.0',
    },
  },
  (payload) => {
    const [action, entity] = ['action', 'entity'].map((name) => textAt(payload, ['meta', name]))
    return action !== undefined && entity !== undefined ? `${action}.${entity}` : (action ?? '')
  },
)
