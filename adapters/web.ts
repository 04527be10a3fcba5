import type { WebhookEvent } from '../src/event.ts'
import type { Json } from '../src/lib/json.ts'
import type { MaybePromise } from '../src/lib/maybe-promise.ts'
import { aFunction } from '../src/lib/options.ts'
import type { Listener } from '../src/listener.ts'
import { decide } from './shared/outcome.ts'
import { webIncoming } from './shared/read-web.ts'
import { type ListenerLookup, Receiver } from './shared/receiver.ts'
import { RECEIVER_OPTIONS, type ReceiverOptions } from './shared/receiver-options.ts'
import { responseOf } from './shared/reply.ts'
import { addressNotGiven, noResponse } from './shared/set-up-errors.ts'
import { settleBefore } from './shared/settle.ts'

export type { ListenerLookup } from './shared/receiver.ts'

/** The options of `webhookHandler`. */
export interface WebhookHandlerOptions extends ReceiverOptions {}

/** Handles one verified event. Nothing returned is an empty 200. The body of `request` has been read: see `event`. */
export type OnWebhook<Payload> = (
  event: WebhookEvent<Payload>,
  request: Request,
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler declared `Promise<void>` fits too
) => MaybePromise<Response | void>

/** A throw is answered 500 by every platform. */
const STATUS_OF = { answer: ({ status }: Response) => status, thrown: () => 500 }

/** What a web request does not say of itself. */
export interface RequestSource {
  /** The sender's address, as the platform knows it. Undefined is an unknown one, which fits no allowed network. */
  readonly ip?: string | undefined
}

/**
 * A webhook endpoint in the plain fetch form, for whatever serves with web requests: Bun, Deno, Workers, Next.js,
 * SvelteKit. Verified events go to `handler`; all other deliveries are answered here. The event is settled before the
 * response leaves: 2xx commits it, 408, 503 and 504 leave its lease to lapse, any other status and a throw release it.
 *
 * The promise rejects with what the handler throws, and with a ListenerConfigError that names the fix for a wrong
 * set-up: a body that was read before, or a listener with `allowedCidrs` and no `ip` in the call.
 *
 * @throws ListenerConfigError for options that are unknown or wrong.
 */
export function webhookHandler<Payload = Json>(
  target: Listener<Payload> | ListenerLookup<Request, Payload>,
  handler: OnWebhook<Payload>,
  options: WebhookHandlerOptions = {},
): (request: Request, source?: RequestSource) => Promise<Response> {
  const receiver = new Receiver('webhookHandler', target, options, RECEIVER_OPTIONS, decide<Payload>)
  aFunction(handler, 'handler')
  return (request, source) => {
    const sourceIp = ({ isSourceAllowed }: Listener<unknown>) => {
      if (isSourceAllowed && !('ip' in Object(source))) throw addressNotGiven()
      return source?.ip
    }
    return receiver.receive(request, webIncoming(request), sourceIp, (outcome) => {
      if (outcome.reply) return responseOf(outcome.reply)
      const { event, listener } = outcome
      const run = async () => {
        const response = (await handler(event, request)) ?? new Response()
        if (typeof response.status !== 'number') throw noResponse()
        return response
      }
      return settleBefore(listener, event, request, run, STATUS_OF)
    })
  }
}
