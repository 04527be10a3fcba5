import { leaseOf } from '../../src/accepted-event.ts'
import { ListenerConfigError } from '../../src/errors.ts'
import type { WebhookEvent } from '../../src/event.ts'
import { memberOf } from '../../src/lib/member-of.ts'
import type { EventOf, Listener } from '../../src/listener.ts'

/**
 * Returns the event that `verifyWebhook` verified. Pass the listener, which types it. Any listener with the same `id` and
 * `payload` schema as the one that verified the request will do. Without one, e.g. behind a lookup, the payload is any JSON.
 *
 * @example
 * ```ts
 * const { payload } = webhookOf(request, listener) // typed by the listener
 * ```
 *
 * @throws ListenerConfigError if no such listener verified the request, or if `listener` did not come from `defineListener()`.
 */
export function webhookOf(request: object): WebhookEvent
export function webhookOf<Given extends Listener<unknown>>(request: object, listener: Given): EventOf<Given>
export function webhookOf(request: object, ...given: readonly Listener<unknown>[]): WebhookEvent<unknown> {
  const webhook = memberOf(request, 'webhook') as WebhookEvent<unknown> | undefined // only adapters set it
  if (given.length > 0) checkListener(given[0], webhook)
  if (webhook === undefined) throw notVerified('no listener verified')
  return webhook
}

function checkListener(listener: Listener<unknown> | undefined, webhook: WebhookEvent<unknown> | undefined) {
  if (listener?.id === undefined) {
    throw new ListenerConfigError('listener', 'must come from defineListener()')
  }
  const name = JSON.stringify(listener.id)
  if (webhook?.listenerId !== listener.id) throw notVerified(`the listener ${name} did not verify`)
  if (leaseOf(webhook)?.listener.payload !== listener.payload) {
    const problem = `the listener ${name} has another payload schema than the one that verified this request`
    throw new ListenerConfigError('webhookOf', `${problem}: pass the same schema object to both`)
  }
}

function notVerified(problem: string): ListenerConfigError {
  return new ListenerConfigError('webhookOf', `${problem} this request: is verifyWebhook() on its route?`)
}
