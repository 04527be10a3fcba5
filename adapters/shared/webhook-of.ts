import { schemaOf } from '../../src/accept.ts'
import { ListenerConfigError } from '../../src/errors.ts'
import type { WebhookEvent } from '../../src/event.ts'
import type { Listener } from '../../src/listener.ts'
import { notAListener } from './set-up-errors.ts'

/**
 * Returns `request.webhook` with the payload type of the listener's schema. Any listener with the same `id` and `payload`
 * schema as the one that verified the request will do.
 *
 * @example
 * ```ts
 * const { payload } = webhookOf(request, listener) // typed by the listener's schema
 * ```
 *
 * @throws ListenerConfigError if no such listener verified the request, or if `listener` did not come from `defineListener()`.
 */
export function webhookOf<Payload>(request: object, listener: Listener<Payload>): WebhookEvent<Payload> {
  if (listener?.id === undefined) throw notAListener()
  const name = JSON.stringify(listener.id)
  const { webhook }: { readonly webhook?: WebhookEvent<unknown> } = Object(request)
  if (webhook?.listenerId !== listener.id) {
    const problem = `the listener ${name} did not verify this request: is verifyWebhook() on its route?`
    throw new ListenerConfigError('webhookOf', problem)
  }
  if (schemaOf(webhook) !== listener.payload) {
    const problem = `the listener ${name} has another payload schema than the one that verified this request`
    throw new ListenerConfigError('webhookOf', `${problem}: pass the same schema object to both`)
  }
  return webhook as WebhookEvent<Payload> // this schema produced the payload
}
