import type { Context, MiddlewareHandler, Next } from 'hono'
import { type EventOf, type Listener, ListenerConfigError } from '../src/index.ts'
import { readableAgain } from './hono/read-again.ts'
import {
  behindProxies,
  commitBefore,
  createObserver,
  createReceiver,
  type EmittingRequest,
  fromNode,
  fromWeb,
  GUARDS_MORE,
  type Incoming,
  type ListenerLookup,
  type NodeRequest,
  type NodeResponse,
  type ObservedRequest,
  type ObserverOptions,
  observedNode,
  observedWeb,
  type ReceiverOptions,
  type SourceFinder,
  type StatusOf,
  settleAtEnd,
  settleBefore,
  toResponse,
  type WhenReturned,
  withBody,
  withKept,
} from './kit/index.ts'

export type { ListenerLookup } from './kit/index.ts'

/**
 * The options of `verifyWebhook`.
 *
 * @example
 * ```ts
 * verifyWebhook(listener, { sourceIp: (c) => c.req.header('cf-connecting-ip') })
 * ```
 */
export interface VerifyWebhookOptions extends ReceiverOptions {
  /** Returns the source address, e.g. from a header that your platform sets, or from its `getConnInfo`. */
  readonly sourceIp?: ((context: Context) => string | undefined) | undefined
  /** Networks of the proxies in front of you, e.g. `10.0.0.0/8`. Node only: other runtimes hide the socket's address. */
  readonly trustedProxies?: readonly string[] | undefined
}

/**
 * Verifies deliveries before your handler. Passes verified ones on, with the event in `c.var.webhook`, and responds to all
 * others itself. The handler can still read the exact body: with `c.req.json()` etc., from `c.req.raw`, or with Hono's
 * `cloneRawRequest` and `proxy`. For a new request, clone it first: `new Request(url, c.req.raw.clone())`. Without the clone, it
 * fails on Workers, and `new Request(c.req.raw)` on Deno too. On Node, the event is settled after the response, as in Express and
 * Fastify. On other runtimes, and with a transaction for each event, it is settled before.
 *
 * Use `app.all` if the sender's handshake is a GET, HEAD or OPTIONS request. Setup mistakes are thrown to `app.onError` as a
 * ListenerConfigError that names the fix.
 *
 * @example
 * ```ts
 * app.post('/webhooks', verifyWebhook(listener), async (c) => {
 *   await handle(c.var.webhook)
 *   return c.body(null, 204)
 * })
 * ```
 *
 * @throws ListenerConfigError for unknown or invalid options, and for a listener with `allowedCidrs` if neither `sourceIp`
 * nor `trustedProxies` is set.
 */
export function verifyWebhook<Given extends Listener<unknown>>(
  target: Given | ListenerLookup<Context, Given>,
  options: VerifyWebhookOptions = {},
): MiddlewareHandler<{ Variables: { webhook: EventOf<Given> } }> {
  const receiver = createReceiver(target, options, { ownOptions: OWN_OPTIONS })
  const sourceOf = sourceFinder(options)
  if (typeof target !== 'function' && target.isSourceAllowed) mustKnowSource(options)
  // Not async itself: another framework may wait for no promise, so what is no context must throw.
  return function verifyWebhook(c, next) {
    return guard(c, next, incomingOf(c, sourceOf))
  }

  async function guard(c: Context, next: Next, incoming: Incoming): Promise<Response | undefined> {
    const outcome = await receiver.receiveAndClaim(c, incoming)
    if (outcome.reply) return toResponse(outcome.reply)
    offerBody(c, outcome.event.rawBody)
    c.set('webhook', outcome.event)
    const { outgoing } = nodeOf(c)
    // Resolves with undefined: next() resolves with Hono's context, which would be taken for the handler's response.
    const run = async () => {
      await next()
      return undefined
    }
    if (outgoing === undefined) return settleBefore(c.req.raw, outcome, run, statusOf(c))
    const handled = run().then(() => commitBefore(outcome, () => statusOf(c).answer(undefined)))
    const whenReturned: WhenReturned = (tell) => void handled.then(() => tell()).catch(() => {})
    settleAtEnd(outgoing, outcome, { handled, whenReturned, returned: lateStatusOf(c, handled) })
    await handled
    return undefined
  }
}

/**
 * The options of `observeWebhook`.
 *
 * @example
 * ```ts
 * observeWebhook(listener, { sourceIp: (c) => c.req.header('cf-connecting-ip') })
 * ```
 */
export interface ObserveWebhookOptions
  extends ObserverOptions,
    Pick<VerifyWebhookOptions, 'sourceIp' | 'trustedProxies'> {}

/**
 * Tries a listener beside your own check, which goes on as before. Runs every check but the claim, and tells the listener's
 * hooks, with `enforced: false`. Changes and delays nothing, whatever happens, and answers nothing. Copies the body while
 * what comes next reads it, and asks for no byte itself: from the Node request, or from `c.req.raw` on other runtimes, which stays
 * the same object.
 *
 * Reports nothing if nothing reads the body, or not to its end. If the exact bytes are gone, or are read in a way that cannot be
 * followed, e.g. by `new Request(c.req.raw)`, tells `onError` once.
 *
 * @example
 * ```ts
 * app.post('/webhooks', observeWebhook(listener), (c) => c.text('the handler as it is, with its own check'))
 * ```
 *
 * @throws ListenerConfigError for unknown or invalid options, and for a listener with `allowedCidrs` if neither `sourceIp`
 * nor `trustedProxies` is set.
 */
export function observeWebhook(
  target: Listener<unknown> | ListenerLookup<Context, Listener<unknown>>,
  options: ObserveWebhookOptions = {},
): MiddlewareHandler {
  const observer = createObserver(target, options, OWN_OPTIONS)
  const sourceOf = sourceFinder(options)
  if (typeof target !== 'function' && target.isSourceAllowed) mustKnowSource(options)
  return async function observeWebhook(c, next) {
    let tellHandled = () => {}
    const whenHandled = (callback: () => void) => {
      tellHandled = callback
    }
    void observer.observe(c, () => observedOf(c, whenHandled, sourceOf))
    await next().finally(() => tellHandled())
  }
}

/** A Hono request as an `ObservedRequest`. Takes the body from Hono's cache if a middleware has read it, or else from the stream. */
function observedOf(
  c: Context,
  whenHandled: (callback: () => void) => void,
  sourceOf: SourceFinder<Context>,
): ObservedRequest {
  const { incoming } = nodeOf(c)
  const sourceIp = (_: unknown, listener: Listener<unknown>) => sourceOf(c, listener)
  const observed =
    incoming && !isHandedOut(c, incoming)
      ? observedNode(incoming as EmittingRequest, sourceIp) // as Node makes it
      : observedWeb(c.req.raw, whenHandled, sourceIp)
  const kept = c.req.bodyCache.arrayBuffer ?? c.req.bodyCache.text
  return kept ? withKept(observed, kept) : observed
}

const OWN_OPTIONS = {
  sourceIp(value: unknown) {
    if (value !== undefined && typeof value !== 'function') {
      throw new ListenerConfigError('sourceIp', 'must be a function')
    }
  },
  trustedProxies() {}, // behindProxies checks them
}

function sourceFinder(options: VerifyWebhookOptions): SourceFinder<Context> {
  const { sourceIp, trustedProxies } = options
  if (sourceIp && trustedProxies) {
    throw new ListenerConfigError('sourceIp', 'give it or trustedProxies, not both')
  }
  const findSource = behindProxies(trustedProxies)
  return (c, listener) => {
    if (listener.isSourceAllowed) mustKnowSource(options)
    if (sourceIp) return sourceIp(c)
    const { incoming } = nodeOf(c)
    return incoming && (findSource ? findSource(incoming) : incoming.socket.remoteAddress)
  }
}

/** @throws ListenerConfigError if nothing tells the source of a listener with `allowedCidrs`. */
function mustKnowSource({ sourceIp, trustedProxies }: VerifyWebhookOptions): void {
  if (sourceIp || trustedProxies) return
  const problem = 'a listener with allowedCidrs needs it, or trustedProxies, to know the source'
  throw new ListenerConfigError('sourceIp', problem)
}

/** A Hono request as an `Incoming`. */
function incomingOf(c: Context, sourceOf: SourceFinder<Context>): Incoming {
  const { incoming, outgoing } = nodeOf(c)
  const sourceIp = (_: unknown, listener: Listener<unknown>) => sourceOf(c, listener)
  const request = incoming ? fromNode(incoming, outgoing, sourceIp) : fromWeb(c.req?.raw, sourceIp)
  const isBodyTouched = c.req.bodyCache.arrayBuffer !== undefined || isHandedOut(c, incoming)
  if (!isBodyTouched && request.method === 'POST') return request
  // Not the helper of `hono/route`, which came with Hono 4.8: this adapter imports only types.
  const where = c.req.routePath.endsWith('*') ? GUARDS_MORE : undefined
  return { ...(isBodyTouched ? withTouchedBody(request, c) : request), where }
}

/** The underlying Node request and response, if Hono runs on Node. Cheaper and more exact than the web request. */
function nodeOf(c: Context): { readonly incoming?: NodeRequest; readonly outgoing?: NodeResponse } {
  const bindings: { readonly incoming?: NodeRequest } = Object(c.env)
  return Array.isArray(bindings.incoming?.rawHeaders) ? bindings : {}
}

/** Whether a middleware, such as `hono/body-limit`, has made the web stream, which drains Node's, and left it unread. */
function isHandedOut({ req }: Context, incoming: NodeRequest | undefined): boolean {
  return incoming !== undefined && incoming.readableFlowing !== null && !req.raw.bodyUsed
}

/** Takes the bytes that Hono cached for an earlier middleware, or else the web stream. */
function withTouchedBody(request: Incoming, { req }: Context): Incoming {
  const { arrayBuffer } = req.bodyCache
  if (arrayBuffer === undefined) return { ...request, readBody: fromWeb(req.raw).readBody }
  return withBody(request, async () => new Uint8Array(await arrayBuffer))
}

/** Puts the bytes into Hono's body cache and back into the request. Copies them only on demand. */
function offerBody(c: Context, bytes: Uint8Array): void {
  const kept: { arrayBuffer?: unknown } = c.req.bodyCache
  kept.arrayBuffer = new CopyOnDemand(bytes)
  readableAgain(c.req.raw, bytes, nodeOf(c).incoming)
}

/** A promise of a copy, made when first awaited. (A getter would cost each request 3 µs.) */
class CopyOnDemand extends Promise<ArrayBuffer> {
  static override readonly [Symbol.species] = Promise
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    super(() => {})
    this.#bytes = bytes
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise has one
  override then<Done = ArrayBuffer, Failed = never>(
    onBytes?: ((bytes: ArrayBuffer) => Done | PromiseLike<Done>) | null,
    onError?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    // Not slice(), which for a Buffer returns a view into its pool.
    return Promise.resolve(new Uint8Array(this.#bytes).buffer).then(onBytes, onError)
  }
}

/** The status of a handler that returns after a timeout has answered. Hono drops its response, unless told that there is none yet. */
function lateStatusOf(c: Context, handled: Promise<unknown>): () => Promise<number | undefined> | undefined {
  let hasEnded = false
  const onEnd = () => {
    hasEnded = true
  }
  handled.then(onEnd, onEnd)
  return () => {
    if (hasEnded) return undefined // its own answer
    c.finalized = false
    return handled.then(() => (c.finalized ? c.res.status : undefined))
  }
}

/** Reads the status of a Hono response. Without a response it is 500; an HTTPException has its own. */
function statusOf(c: Context): StatusOf<unknown> {
  return {
    answer: () => (c.finalized ? c.res.status : 500),
    thrown(error) {
      const { getResponse, status }: { readonly getResponse?: unknown; readonly status?: unknown } =
        Object(error)
      return getResponse ? Number(status) : 500
    },
  }
}
