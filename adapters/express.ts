import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Listener, ListenerConfigError, type Verdict, type WebhookEvent } from '../src/index.ts'
import { isNativePromise } from '../src/lib/maybe-promise.ts'
import { asError } from './kit/as-error.ts'
import type { HandlerEnd } from './kit/hung-up.ts'
import { GUARDS_MORE, type Incoming, type SourceFinder } from './kit/incoming.ts'
import type { ListenerLookup } from './kit/lookup.ts'
import { type ExactBody, observe } from './kit/observe.ts'
import { sendReply } from './kit/outcome.ts'
import { fromNode, type NodeRequest, type NodeResponse } from './kit/read-node.ts'
import { createReceiver, type ReceiverOptions } from './kit/receiver.ts'
import { settleAtEnd } from './kit/settle.ts'
import { behindProxies, believesStrangers, trustsEveryProxy } from './kit/trusted-proxies.ts'

export type { ListenerLookup } from './kit/lookup.ts'
export { webhookOf } from './kit/webhook-of.ts'

declare global {
  namespace Express {
    interface Request {
      /** The verified event. Undefined on routes without `verifyWebhook`; `webhookOf(req)` returns it or throws. */
      webhook?: WebhookEvent
    }
  }
}

/**
 * The options of `verifyWebhook`.
 *
 * @example
 * ```ts
 * app.post('/webhooks', verifyWebhook(listener, { bodyTimeoutSeconds: 5 }), handler)
 * ```
 */
export interface VerifyWebhookOptions extends ReceiverOptions {
  /**
   * Networks of the proxies in front of you, e.g. `10.0.0.0/8`, for servers without a `trust proxy` setting (`node:http`).
   * If omitted, the source is `req.ip` or the socket's address.
   */
  readonly trustedProxies?: readonly string[] | undefined
}

/** Middleware for Express 4 and 5, connect and plain `node:http` servers. */
export type WebhookMiddleware<Request extends IncomingMessage> = (
  request: Request,
  response: ServerResponse,
  next: (error?: Error) => void,
) => void

/**
 * Verifies deliveries before your handler. Passes verified ones on, with the event for `webhookOf(req)` and its payload in
 * `req.body`, and responds to all others itself. Mount it once, on the webhook's route, before any body parser. Use
 * `app.all` if the sender's handshake is a GET, HEAD or OPTIONS request.
 *
 * Setup mistakes go to `next(error)` as a ListenerConfigError that names the fix.
 *
 * @example
 * ```ts
 * app.post('/webhooks', verifyWebhook(listener), (req, res) => {
 *   handle(webhookOf(req))
 *   res.sendStatus(204)
 * })
 * ```
 *
 * @throws ListenerConfigError for unknown or invalid options.
 */
export function verifyWebhook<Request extends IncomingMessage = IncomingMessage>(
  target: Listener<unknown> | ListenerLookup<Request, Listener<unknown>>,
  options: VerifyWebhookOptions = {},
): WebhookMiddleware<Request> {
  const wasReceived = (request: Request & ExpressFields) => request.webhook !== undefined
  const receiver = createReceiver(target, options, { ownOptions: OWN_OPTIONS, wasReceived })
  const sourceOf = sourceFinder(options.trustedProxies)
  return function verifyWebhook(request, response, next) {
    // At once: another framework may wait for no promise.
    const incoming = incomingOf(request, response, sourceOf)
    void guard(request, response, next, incoming)
  }

  async function guard(
    request: Request,
    response: ServerResponse,
    next: (error?: Error) => void,
    incoming: Incoming,
  ): Promise<void> {
    let handled: Promise<HandlerEnd> | undefined
    try {
      const outcome = await receiver.receiveAndClaim(request, incoming)
      if (outcome.reply) return sendReply(response, outcome.reply)
      settleAtEnd(response, outcome, { handled: () => handled })
      attach(request, outcome.event)
      const returned: unknown = next() // nothing in Express, and what the handler returns on a bare server
      if (!isNativePromise(returned)) return
      handled = returned.then(() => 'leaves')
      handled.catch(() => {})
      void returned.then() // a rejection stays unhandled, as without hookgate
    } catch (error) {
      if (passOn(asError(error), next)) return
      handled = Promise.reject(error)
      handled.catch(() => {})
      response.destroy()
    }
  }
}

/** Returns false if `next` throws too, as a bare server's callback may. Then there is nobody else to answer. */
function passOn(error: Error, next: (error: Error) => void): boolean {
  try {
    next(error)
    return true
  } catch {
    return false
  }
}

/**
 * Judges a delivery beside your own check, which stays in charge and has read the exact bytes. Runs every check but the claim, and tells
 * the listener's hooks, with `enforced: false`. Answers nothing and changes nothing. Does not skip duplicates.
 *
 * @example
 * ```ts
 * app.post('/webhooks', (req, res) => {
 *   void observeWebhook(listener, req, req.body) // what express.raw() has kept
 *   res.sendStatus(200) // the handler as it is, with its own check
 * })
 * ```
 *
 * @param rawBody What your own check hashes.
 * @returns The verdict. Undefined if there is none: the key host is away, or the setup has a mistake, which `onError` is told. Never
 * rejects.
 */
export function observeWebhook(
  listener: Listener<unknown>,
  request: IncomingMessage,
  rawBody: ExactBody,
  options?: Pick<VerifyWebhookOptions, 'trustedProxies'>,
): Promise<Verdict<unknown> | undefined> {
  return observe(listener, () => fromNode(request, undefined, sourceFinder(options?.trustedProxies)), rawBody)
}

const OWN_OPTIONS = { trustedProxies() {} } // behindProxies checks them

/** Properties that Express and this adapter add to a Node request. */
interface ExpressFields {
  readonly ip?: string | undefined
  readonly app?: {
    readonly settings?: {
      readonly 'trust proxy'?: unknown
      /** The same as a function, which Express compiles for each app. */
      readonly 'trust proxy fn'?: object
    }
  }
  /** Undefined in middleware of `app.use`. */
  readonly route?: unknown
  webhook?: unknown
  body?: unknown
  _body?: boolean
}

type ExpressRequest = NodeRequest & ExpressFields

/** A request with another method, in middleware of `app.use`, is probably for another route. */
function incomingOf(
  request: ExpressRequest,
  response: NodeResponse,
  sourceOf: SourceFinder<ExpressRequest>,
): Incoming {
  const incoming = fromNode(request, response, sourceOf, request.app && 'express.json()')
  if (incoming.method === 'POST' || request.app === undefined || request.route) return incoming
  return { ...incoming, where: GUARDS_MORE }
}

/** The compiled settings of apps that are known not to trust everyone. */
const TRUST_FEW = new WeakSet<object>()

/** @throws ListenerConfigError if the app takes any address that a sender makes up. */
function mustTrustFew(request: ExpressRequest, { settings }: NonNullable<ExpressRequest['app']>): void {
  const rule = settings?.['trust proxy fn']
  if (rule && TRUST_FEW.has(rule)) return
  const sourceOf = ({ headers, socket }: Pick<NodeRequest, 'headers'> & { readonly socket: object }) =>
    Reflect.get(Object.create(request, { headers: { value: headers }, socket: { value: socket } }), 'ip')
  if (believesStrangers(sourceOf)) throw trustsEveryProxy('trust proxy')
  if (rule) TRUST_FEW.add(rule)
}

/** Finds the source address by `trustedProxies`, or by Express's `trust proxy` setting. */
function sourceFinder(trustedProxies: readonly string[] | undefined): SourceFinder<ExpressRequest> {
  const findSource = behindProxies(trustedProxies)
  return sourceOf

  function sourceOf(request: ExpressRequest, listener: Listener<unknown>): string | undefined {
    // Read once: property access on Express requests is megamorphic.
    const { app } = request
    // A request from @fastify/middie. Fastify would later wait for a body that has been read.
    if (app === undefined && 'ips' in request) throw behindMiddie()
    if (findSource) return findSource(request)
    const trusts = app?.settings?.['trust proxy']
    if (app && trusts !== false && listener.isSourceAllowed) mustTrustFew(request, app)
    // With no trusted proxy, `ip` returns the same address, more slowly.
    return (trusts === false ? undefined : request.ip) ?? request.socket.remoteAddress
  }
}

/** Assigns one by one: on an Express request, `Object.assign` costs more than all the checks. */
function attach(request: ExpressRequest, event: WebhookEvent<unknown>): void {
  request.webhook = event
  request.body = event.payload
  // Tells the body parsers of Express 4 that nothing is left to read. Those of Express 5 look at the stream.
  const { app } = request
  if (app === undefined || '_router' in app) request._body = true
}

function behindMiddie(): ListenerConfigError {
  return new ListenerConfigError('request', 'is from another framework: import from hookgate/fastify')
}
