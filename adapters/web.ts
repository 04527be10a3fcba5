import {
  type Listener,
  ListenerConfigError,
  type MaybePromise,
  type PayloadOf,
  type WebhookEvent,
} from '../src/index.ts'
import {
  createObserver,
  createReceiver,
  fromWeb,
  type Incoming,
  type ListenerLookup,
  type ObserverOptions,
  observedWeb,
  type ReceiverOptions,
  settleBefore,
  toResponse,
} from './kit/index.ts'

export type { ListenerLookup } from './kit/index.ts'

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
    const sourceOf = (_: Request, { isSourceAllowed }: Listener<unknown>) => {
      if (isSourceAllowed && !('sourceIp' in Object(source))) throw addressNotGiven()
      return source?.sourceIp
    }
    return answer(request, fromWeb(request, sourceOf))
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
 * The options of `observeWebhook`.
 *
 * @example
 * ```ts
 * const options: ObserveWebhookOptions = { sourceIp: ({ headers }) => headers.get('cf-connecting-ip') ?? undefined }
 * ```
 */
export interface ObserveWebhookOptions extends ObserverOptions {
  /** Returns the source address, e.g. from a header that your platform sets. A listener with `allowedCidrs` needs it. */
  readonly sourceIp?: ((request: Request) => string | undefined) | undefined
}

/**
 * Tries a listener beside your own check, which goes on as before. Returns your fetch handler, which gets the same arguments
 * and answers as before. Runs every check but the claim, and tells the listener's hooks, with `enforced: false`. Changes and
 * delays nothing, whatever happens. Copies the body while the handler reads it, and asks for no byte itself. The handler gets
 * the same `request`.
 *
 * Reports nothing if the handler does not read the body, or not to its end. If something has read it before, or reads it in a way
 * that cannot be followed, e.g. by `new Request(request)` or `fetch(request)`, tells `onError` once.
 *
 * @example
 * ```ts
 * export default { fetch: observeWebhook(listener, async (request: Request) => new Response(await request.text())) }
 * ```
 *
 * @throws ListenerConfigError for unknown or invalid options, and for a listener with `allowedCidrs` without `sourceIp`.
 */
export function observeWebhook<Given extends readonly unknown[], Result>(
  target: Listener<unknown> | ListenerLookup<Request, Listener<unknown>>,
  handler: (request: Request, ...given: Given) => Result,
  options: ObserveWebhookOptions = {},
): (request: Request, ...given: Given) => Result {
  const { sourceIp } = options
  const observer = createObserver(target, options, OWN_OPTIONS)
  if (typeof handler !== 'function') throw new ListenerConfigError('handler', 'must be a function')
  const sourceOf = (request: Request, { isSourceAllowed }: Listener<unknown>) => {
    if (isSourceAllowed && !sourceIp) throw sourceNotKnown()
    return sourceIp?.(request)
  }
  if (typeof target !== 'function' && target.isSourceAllowed && !sourceIp) throw sourceNotKnown()
  return (request, ...given) => {
    let tellHandled = () => {}
    const whenHandled = (callback: () => void) => {
      tellHandled = callback
    }
    void observer.observe(request, () => observedWeb(request, whenHandled, sourceOf))
    try {
      const answer = handler(request, ...given)
      void whenOver(answer, tellHandled)
      return answer
    } catch (error) {
      tellHandled()
      throw error
    }
  }
}

/** Never rejects: the answer, with its error, goes to the caller. */
async function whenOver(answer: unknown, callback: () => void): Promise<void> {
  try {
    await answer
  } catch {}
  callback()
}

const OWN_OPTIONS = {
  sourceIp(value: unknown) {
    if (value !== undefined && typeof value !== 'function') {
      throw new ListenerConfigError('sourceIp', 'must be a function')
    }
  },
}

function sourceNotKnown(): ListenerConfigError {
  return new ListenerConfigError('sourceIp', 'a listener with allowedCidrs needs it to know the source')
}
