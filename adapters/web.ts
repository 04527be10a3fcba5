import {
  type Listener,
  ListenerConfigError,
  type MaybePromise,
  type PayloadOf,
  type Verdict,
  type WebhookEvent,
} from '../src/index.ts'
import type { Incoming, SourceFinder } from './kit/incoming.ts'
import type { ListenerLookup } from './kit/lookup.ts'
import { type ExactBody, observe } from './kit/observe.ts'
import { toResponse } from './kit/outcome.ts'
import { fromWeb } from './kit/read-web.ts'
import { createReceiver, type ReceiverOptions } from './kit/receiver.ts'
import { settleBefore } from './kit/settle.ts'

export type { ListenerLookup } from './kit/lookup.ts'

/** The options of `webhookHandler`. */
export interface WebhookHandlerOptions extends ReceiverOptions {}

/**
 * Handles one verified event. Return nothing for an empty 200. The body of `request` has been consumed; use `event`.
 *
 * @example
 * ```ts
 * const onWebhook: OnWebhook<Json> = (event) => Response.json({ received: event.id })
 * ```
 */
export type OnWebhook<Payload> = (
  event: WebhookEvent<Payload>,
  request: Request,
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler declared `Promise<void>` fits too
) => MaybePromise<Response | void>

/** Every platform responds to a throw with 500. */
const STATUS_OF = { answer: ({ status }: Response) => status, thrown: () => 500 }

/**
 * What a web request does not know about itself.
 *
 * @example
 * ```ts
 * const source: RequestSource = { sourceIp: request.headers.get('cf-connecting-ip') ?? undefined }
 * ```
 */
export interface RequestSource {
  /** The sender's address, from your platform. Undefined means unknown, which no allowed network matches. */
  readonly sourceIp?: string | undefined
}

/**
 * Makes a fetch handler for Bun, Deno, Workers, Next.js, SvelteKit and other hosts that use web requests. Calls `handler`
 * with verified events, and responds to all other deliveries itself. Settles the event before the response is sent: 2xx
 * commits; 408, 503 and 504 let the lease expire; any other status and a throw release.
 *
 * Rejects with any error of your handler, and with that of a commit if the store holds what it wrote, as a transaction does. Rejects with a ListenerConfigError that names the fix if the body was read before,
 * or if a listener with `allowedCidrs` gets no `sourceIp`.
 *
 * @example
 * ```ts
 * const handle = webhookHandler(listener, async (event) => saveOrder(event.id, event.payload))
 * export default { fetch: (request: Request) => handle(request) }
 * ```
 *
 * @throws ListenerConfigError for unknown or invalid options.
 */
export function webhookHandler<Given extends Listener<unknown>>(
  target: Given | ListenerLookup<Request, Given>,
  handler: OnWebhook<PayloadOf<Given>>,
  options: WebhookHandlerOptions = {},
): (request: Request, source?: RequestSource) => Promise<Response> {
  const receiver = createReceiver(target, options, { caller: 'webhookHandler' })
  if (typeof handler !== 'function') throw new ListenerConfigError('handler', 'must be a function')
  // Not async itself: another framework may wait for no promise, so what is no request must throw.
  return (request, source) => {
    return answer(request, fromWeb(request, sourceGiven(source)))
  }

  async function answer(request: Request, incoming: Incoming): Promise<Response> {
    const outcome = await receiver.receiveAndClaim(request, incoming)
    if (outcome.reply) return toResponse(outcome.reply)
    const run = async () => {
      const response = (await handler(outcome.event, request)) ?? new Response()
      if (typeof response.status !== 'number') throw noResponse()
      return response
    }
    return settleBefore(request, outcome, run, STATUS_OF)
  }
}

/** `sourceIp: undefined` is allowed; omitting `sourceIp` is usually a mistake. */
function sourceGiven(source: RequestSource | undefined): SourceFinder<Request> {
  return (_, { isSourceAllowed }) => {
    if (isSourceAllowed && !('sourceIp' in Object(source))) throw addressNotGiven()
    return source?.sourceIp
  }
}

function addressNotGiven(): ListenerConfigError {
  return new ListenerConfigError(
    'sourceIp',
    'a listener with allowedCidrs needs it: call with (request, { sourceIp })',
  )
}

/** E.g. a string or an object, which Fastify or Express would send. */
function noResponse(): ListenerConfigError {
  return new ListenerConfigError('handler', 'must return a Response, like Response.json(…), or nothing')
}

/**
 * Judges a delivery beside your own check, which stays in charge and has read the exact bytes. Runs every check but the claim, and tells
 * the listener's hooks, with `enforced: false`. Answers nothing and changes nothing. Does not skip duplicates.
 *
 * @example
 * ```ts
 * async function POST(request: Request) {
 *   const body = await request.text()
 *   void observeWebhook(listener, request, body) // on Workers: ctx.waitUntil(observeWebhook(…))
 *   return new Response('the handler as it is, with its own check')
 * }
 * ```
 *
 * @param rawBody What your own check hashes.
 * @returns The verdict. Undefined if there is none: the key host is away, or the setup has a mistake, which `onError` is told. Never
 * rejects.
 */
export function observeWebhook(
  listener: Listener<unknown>,
  request: Request,
  rawBody: ExactBody,
  source?: RequestSource,
): Promise<Verdict<unknown> | undefined> {
  return observe(listener, () => fromWeb(request, sourceGiven(source)), rawBody)
}
