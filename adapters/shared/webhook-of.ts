import type { WebhookEvent } from '../../src/event.ts'
import type { Listener } from '../../src/listener.ts'
import { notAListener } from './set-up-errors.ts'

/**
 * `request.webhook` with the payload type of the listener's schema, which a request's own type cannot carry.
 *
 * @throws TypeError when this listener did not verify the request: the type would be a lie.
 * @throws ListenerConfigError when it is no listener.
 */
export function webhookOf<Payload>(request: object, listener: Listener<Payload>): WebhookEvent<Payload> {
  if (listener?.id === undefined) throw notAListener()
  const { webhook }: { readonly webhook?: WebhookEvent<unknown> } = Object(request)
  if (webhook?.listenerId !== listener.id) {
    const name = JSON.stringify(listener.id)
    throw new TypeError(`the listener ${name} did not verify this request: is verifyWebhook() on its route?`)
  }
  return webhook as WebhookEvent<Payload> // its schema made the payload
}
