import type { Context, MiddlewareHandler, Next } from 'hono'
import { type EventOf, type Listener, ListenerConfigError, type Verdict } from '../src/index.ts'
import { readableAgain } from './hono/read-again.ts'
import { asError } from './kit/as-error.ts'
import type { HandlerEnd } from './kit/hung-up.ts'
import { GUARDS_MORE, type Incoming, type SourceFinder, withBody } from './kit/incoming.ts'
import type { ListenerLookup } from './kit/lookup.ts'
import { type ExactBody, observe } from './kit/observe.ts'
import { type Claimed, type Refusal, toResponse } from './kit/outcome.ts'
import { fromNode, type NodeRequest, type NodeResponse } from './kit/read-node.ts'
import { fromWeb } from './kit/read-web.ts'
import { createReceiver, type ReceiverOptions } from './kit/receiver.ts'
import { commitBefore, type StatusOf, settleAtEnd, settleBefore } from './kit/settle.ts'
import { behindProxies } from './kit/trusted-proxies.ts'

export type { ListenerLookup } from './kit/lookup.ts'

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
 * fails on Workers, and `new Request(c.req.raw)` on Deno too. On Node, the event is settled after the response, as in
 * Express. On other runtimes, and after `event.commit(tx)`, it is settled before.
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
    let outcome: Claimed<Given> | Refusal
    try {
      outcome = await receiver.receiveAndClaim(c, incoming)
    } catch (thrown) {
      throw asError(thrown)
    }
    if (outcome.reply) return toResponse(outcome.reply)
    const claimed = outcome
    offerBody(c, claimed.event.rawBody)
    c.set('webhook', claimed.event)
    const { outgoing } = nodeOf(c)
    if (outgoing === undefined) return settleBefore(c.req.raw, claimed, run, statusOf(c))
    const handled = handle()
    const endOf = () => {
      if (outgoing.writableEnded) c.finalized = false // or Hono drops what a handler returns once a timeout has answered
      return handled
    }
    settleAtEnd(outgoing, claimed, { handled: endOf, awaited: handled })
    await handled
    return undefined

    // Resolves with undefined: next() resolves with Hono's context, which would be taken for the handler's response.
    async function run(): Promise<undefined> {
      await next()
    }

    async function handle(): Promise<HandlerEnd> {
      await next()
      const committing = commitBefore(claimed, () => statusOf(c).answer(undefined))
      if (committing) await committing
      if (!outgoing?.writableEnded) return 'answers'
      return c.finalized ? c.res.status : 'leaves'
    }
  }
}

/**
 * Judges a delivery beside your own check, which stays in charge and has read the exact bytes. Runs every check but the claim, and tells
 * the listener's hooks, with `enforced: false`. Answers nothing and changes nothing. Does not skip duplicates.
 *
 * @example
 * ```ts
 * app.post('/webhooks', async (c) => {
 *   void observeWebhook(listener, c, await c.req.text()) // on Workers: c.executionCtx.waitUntil(observeWebhook(…))
 *   return c.text('the handler as it is, with its own check')
 * })
 * ```
 *
 * @param rawBody What your own check hashes.
 * @returns The verdict. Undefined if there is none: the key host is away, or the setup has a mistake, which `onError` is told. Never
 * rejects.
 */
export function observeWebhook(
  listener: Listener<unknown>,
  c: Context,
  rawBody: ExactBody,
  options: Pick<VerifyWebhookOptions, 'sourceIp' | 'trustedProxies'> = {},
): Promise<Verdict<unknown> | undefined> {
  return observe(listener, () => requestOf(c, sourceFinder(options)), rawBody)
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

/** The Node request below, if Hono runs on Node, or else the web request, as an `Incoming`. */
function requestOf(c: Context, sourceOf: SourceFinder<Context>): Incoming {
  const { incoming, outgoing } = nodeOf(c)
  const sourceIp = (_: unknown, listener: Listener<unknown>) => sourceOf(c, listener)
  return incoming ? fromNode(incoming, outgoing, sourceIp, PARSER) : fromWeb(c.req?.raw, sourceIp)
}

/** With a body that an earlier middleware may have read. */
function incomingOf(c: Context, sourceOf: SourceFinder<Context>): Incoming {
  const { incoming } = nodeOf(c)
  const request = requestOf(c, sourceOf)
  const isBodyTouched = c.req.bodyCache.arrayBuffer !== undefined || isHandedOut(c, incoming)
  if (!isBodyTouched && request.method === 'POST') return request
  // Not the helper of `hono/route`, which came with Hono 4.8: this adapter imports only types.
  const where = c.req.routePath.endsWith('*') ? GUARDS_MORE : undefined
  return { ...(isBodyTouched ? withTouchedBody(request, c) : request), where }
}

const PARSER = 'c.req.json(), unless it reads request.clone()'

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
