import type { WebhookEvent } from '../../src/event.ts'
import type { Listener } from '../../src/listener.ts'

/**
 * `request.webhook` with the payload type of the listener's schema, which a request's own type cannot carry.
 *
 * @throws TypeError when this listener did not verify the request: the type would be a lie.
 */
export function webhookOf<Payload>(request: object, listener: Listener<Payload>): WebhookEvent<Payload> {
  const { webhook }: { readonly webhook?: WebhookEvent<unknown> } = request
  if (webhook?.listenerId !== listener.id) {
    throw new TypeError(`the listener ${JSON.stringify(listener.id)} did not verify this request`)
  }
  return webhook as WebhookEvent<Payload> // its schema made the payload
}
