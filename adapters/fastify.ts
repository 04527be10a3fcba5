import type {
  FastifyContentTypeParser,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onSendHookHandler,
  preHandlerHookHandler,
  RouteOptions,
} from 'fastify'
import fp from 'fastify-plugin'
import {
  type Listener,
  ListenerConfigError,
  type Reply,
  type Verdict,
  type WebhookEvent,
} from '../src/index.ts'
import { endOfRoute, holdBack, isHeldBack, keepReturned } from './fastify/returned.ts'
import { asError } from './kit/as-error.ts'
import type { Incoming, SourceFinder } from './kit/incoming.ts'
import type { ListenerLookup } from './kit/lookup.ts'
import { type ExactBody, observe } from './kit/observe.ts'
import { fromNode } from './kit/read-node.ts'
import type { ReceiverOptions } from './kit/receiver.ts'
import { type Checked, createReceiverInSteps, type ReceiverInSteps } from './kit/receiver-in-steps.ts'
import { type SettleFirst, settleAtEnd } from './kit/settle.ts'
import { behindProxies, believesStrangers, trustsEveryProxy } from './kit/trusted-proxies.ts'

export type { ListenerLookup } from './kit/lookup.ts'
export { webhookOf } from './kit/webhook-of.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The verified event, from the route's own `preHandler` on. Undefined on routes that `verifyWebhook` does not guard;
     * `webhookOf(request)` returns it or throws.
     */
    webhook?: WebhookEvent
  }
}

/**
 * The options of `verifyWebhook`.
 *
 * @example
 * ```ts
 * await scope.register(verifyWebhook, { listener, bodyTimeoutSeconds: 5 })
 * ```
 */
export interface VerifyWebhookOptions extends ReceiverOptions {
  /** The listener, or a function that finds the listener of a request. */
  readonly listener: Listener<unknown> | ListenerLookup<FastifyRequest, Listener<unknown>>
  /** Networks of the proxies in front of you. If omitted, the source is `request.ip`, by Fastify's own `trustProxy`. */
  readonly trustedProxies?: readonly string[] | undefined
}

/** Other functions check them. The last three are options of `register` itself, which reads the same object. */
const OWN_OPTIONS = {
  listener() {},
  trustedProxies() {},
  prefix() {},
  logLevel() {},
  logSerializers() {},
}

/**
 * Guards every route in its scope, and no other. Register it first, in a scope of its own. Handlers find the event in
 * `webhookOf(request)` and its payload in `request.body`. The plugin responds to all other deliveries itself. Setup mistakes go
 * to the error handler as a ListenerConfigError that names the fix.
 *
 * The checks run in `onRequest`. The claim runs in `preHandler`, after the route's rate limit, `preValidation` and schema, so
 * that what these refuse can be retried. The route's own `preHandler` may read `request.webhook`.
 *
 * Use `scope.all` instead of `scope.post` if the sender's handshake is a GET, HEAD or OPTIONS request.
 *
 * @example
 * ```ts
 * app.register(async (scope) => {
 *   await scope.register(verifyWebhook, { listener })
 *   scope.post('/webhooks', async (request) => handle(webhookOf(request)))
 * })
 * ```
 */
export const verifyWebhook: FastifyPluginAsync<VerifyWebhookOptions> = fp(guardScope, {
  name: 'hookgate',
  fastify: '5.x',
})

/** Another parser, in this scope or a nested one, would wait for a body that has already been read. */
function refuseParser(): never {
  throw secondParser()
}

type GuardScope = FastifyPluginAsync<VerifyWebhookOptions>

/** Throws at once if it was called, because Fastify does not wait for what is then given to it as a hook. */
function guardScope(...given: Parameters<GuardScope>): Promise<void> {
  const [scope, options] = given
  return typeof scope?.addContentTypeParser === 'function' ? guard(scope, options) : refuseMount(given)
}

/** Async, because Fastify reports rejections; after a throw, `ready()` would only time out. */
async function guard(scope: FastifyInstance, options: VerifyWebhookOptions): Promise<void> {
  if (scope.addContentTypeParser === refuseParser) throw mountedTwice()
  if (hasScopesInside(scope)) throw scopeBefore()
  const wasReceived = () => false // checked above
  const receiver = createReceiverInSteps(options?.listener, options, { ownOptions: OWN_OPTIONS, wasReceived })
  const passOn = errorPasser()
  scope.decorateRequest(CHECKED)
  scope.decorateRequest(SETTLE)
  scope.addHook('onRoute', keepReturned)
  scope.addHook('onRoute', settleLast(passOn))
  // Before parsing: Fastify's own parsers would respond with 413 and 415, and refuse valid JSON.
  scope.addHook('onRequest', checkFirst(receiver, sourceFinder(options.trustedProxies), passOn))
  // After the route's rate limits and validation: what they refuse must stay unclaimed for the retry.
  scope.addHook('preHandler', claimLast(receiver, passOn))
  if (!scope.hasRequestDecorator('webhook')) scope.decorateRequest('webhook')
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(/^/, parseChecked) // not '*', which Fastify looks up for each request
  scope.addContentTypeParser = refuseParser
}

/**
 * Judges a delivery beside your own check, which stays in charge and has read the exact bytes. Runs every check but the claim, and tells
 * the listener's hooks, with `enforced: false`. Answers nothing and changes nothing. Does not skip duplicates.
 *
 * @example
 * ```ts
 * scope.post<{ Body: Buffer }>('/webhooks', async (request) => {
 *   void observeWebhook(listener, request, request.body) // of a parser with `parseAs: 'buffer'`
 *   return 'the handler as it is, with its own check'
 * })
 * ```
 *
 * @param rawBody What your own check hashes.
 * @returns The verdict. Undefined if there is none: the key host is away, or the setup has a mistake, which `onError` is told. Never
 * rejects.
 */
export function observeWebhook(
  listener: Listener<unknown>,
  request: FastifyRequest,
  rawBody: ExactBody,
  options?: Pick<VerifyWebhookOptions, 'trustedProxies'>,
): Promise<Verdict<unknown> | undefined> {
  const incoming = () => {
    const sourceOf = sourceFinder(options?.trustedProxies)
    return fromNode(request.raw, undefined, (_, known) => sourceOf(request, known))
  }
  return observe(listener, incoming, rawBody)
}

const CHECKED: unique symbol = Symbol('hookgate')
const HEADERS: unique symbol = Symbol('hookgate.headers')
const SETTLE: unique symbol = Symbol('hookgate.settle')

/** A checked request whose event is not claimed yet. Not declared on FastifyRequest, to hide the symbols from users. */
interface GuardedRequest extends FastifyRequest {
  [CHECKED]?: Checked
  /** Set once the event is claimed. */
  [SETTLE]?: SettleFirst
  /** Set while `headers` hides the content type. */
  [HEADERS]?: FastifyRequest['headers']
}

/** The `onRequest` hook: reads the body, runs the checks, and responds to refused deliveries. */
function checkFirst(
  receiver: ReceiverInSteps<FastifyRequest, Listener<unknown>>,
  sourceOf: SourceFinder<FastifyRequest>,
  passOn: PassOn,
): onRequestHookHandler {
  // Not async itself: Fastify refuses an async hook with `done`.
  return (request, reply, done) => void onRequest(request, reply, done)

  async function onRequest(request: GuardedRequest, reply: FastifyReply, done: Done): Promise<void> {
    try {
      const checked = await receiver.receive(request, incomingOf(request, reply, sourceOf))
      if (checked.reply) return sendReply(reply, checked.reply)
      request[CHECKED] = checked
      hideOddType(request)
      done()
    } catch (error) {
      passOn(asError(error), request, reply, done)
    }
  }
}

type Done = (error?: Error) => void
type PassOn = (error: Error, request: FastifyRequest, reply: FastifyReply, done: Done) => void

const PAUSE_MS = 60_000

/**
 * Passes errors on. Prints a setup mistake if Fastify has no logger, because only the sender would see it: at most once a minute,
 * and without its cause, because both may come from a stranger.
 */
function errorPasser(): PassOn {
  let printedAt = -Infinity
  return (error, { log }, { raw }, done) => {
    try {
      const isMistake = error instanceof ListenerConfigError && log.level === undefined
      if (isMistake && performance.now() - printedAt >= PAUSE_MS) {
        printedAt = performance.now()
        console.error(`hookgate: ${error.message}. What to do: ${error.help}`)
      }
    } catch {} // a replaced console may throw
    try {
      done(error)
    } catch {
      raw.destroy() // an error handler failed, and there is nobody else to answer
    }
  }
}

/** A request with another method is probably for another route of the guarded scope, not a webhook. */
function incomingOf(
  request: FastifyRequest,
  reply: FastifyReply,
  sourceOf: SourceFinder<FastifyRequest>,
): Incoming {
  const incoming = fromNode(request.raw, reply.raw, (_, listener) => sourceOf(request, listener))
  if (request.method === 'POST') return incoming
  const { url } = request.routeOptions
  const route = url === undefined ? 'its not-found handler' : `${request.method} ${url}`
  const where = `; verifyWebhook guards every route of its scope, so ${route} too: register verifyWebhook in a scope of its own`
  return { ...incoming, where }
}

const PLAIN_TYPE = /^[\w.+-]+\/[\w.+-]+(?:; ?charset=utf-8)?$/i

/**
 * Fastify answers a malformed or empty type with 415 before it asks the parser, and asks no parser for an empty body without
 * a type. Until `parseChecked` has run, this hides types that it may refuse: the checks have accepted them.
 */
function hideOddType(request: GuardedRequest): void {
  const { headers } = request
  const type = headers['content-type']
  if (type === 'application/json' || (type !== undefined && PLAIN_TYPE.test(type))) return
  if (request.method === 'GET') return // no parser is asked
  request[HEADERS] = headers
  request.headers = { ...headers, 'content-type': undefined, 'transfer-encoding': 'chunked' }
}

/** The content type parser: returns the payload that the checks parsed. */
const parseChecked: FastifyContentTypeParser = (request: GuardedRequest, _stream, parsed) => {
  if (request[HEADERS]) request.headers = request[HEADERS]
  parsed(null, request[CHECKED]?.payload)
}

/** The `preHandler` hook: claims the event, and responds if the claim fails. */
function claimLast(
  receiver: ReceiverInSteps<FastifyRequest, Listener<unknown>>,
  passOn: PassOn,
): preHandlerHookHandler {
  return (request, reply, done) => void preHandler(request, reply, done)

  async function preHandler(request: GuardedRequest, reply: FastifyReply, done: Done): Promise<void> {
    try {
      if (request.webhook) return done() // reply.callNotFound() runs the hook again
      const checked = request[CHECKED] as Checked // set by onRequest
      const outcome = await receiver.claim(checked)
      if (outcome.reply) return sendReply(reply, outcome.reply)
      request[SETTLE] = settleAtEnd(reply.raw, outcome, { handled: () => endOfRoute(request, reply) })
      request.webhook = outcome.event as WebhookEvent // the listener determines the payload's type
      if (request.method === 'GET') request.body = checked.payload // Fastify parses no body of a GET
      done()
    } catch (error) {
      passOn(asError(error), request, reply, done)
    }
  }
}

/**
 * An `onRoute` hook. Settles the event before its answer is sent, because AWS Lambda and others freeze the process after it: in the
 * route's last `onSend`, because an earlier one may still change the status. A stream may fail later, so it is settled at its end.
 *
 * Until then, Fastify does not know that the route has answered. Another answer is dropped, as Fastify does once the first is sent.
 */
function settleLast(passOn: PassOn): (route: RouteOptions) => void {
  const settle: onSendHookHandler = (request: GuardedRequest, reply, payload, done) => {
    if (isHeldBack(request)) return request.log.warn('the route has answered before: this answer is dropped')
    const { raw } = reply
    const { statusCode } = raw
    const settled = isWhole(payload) ? request[SETTLE]?.(statusCode) : undefined
    if (settled === undefined) return done()
    const goOn = () => {
      if (raw.headersSent) return // the route has ended it by itself
      raw.statusCode = statusCode // what another answer has set meanwhile is not sent
      done()
    }
    const fail = (error: unknown) => passOn(asError(error), request, reply, done)
    holdBack(request, settled, goOn, fail)
  }
  return (route) => {
    route.onSend = [...[route.onSend ?? []].flat(), settle]
  }
}

const isWhole = (payload: unknown) =>
  payload === undefined || payload === null || typeof payload === 'string' || ArrayBuffer.isView(payload)

/** Sends a Buffer, because Fastify adds a charset to text. Sends undefined for an empty body, which gets no content type. */
function sendReply(reply: FastifyReply, { status, headers, body }: Reply): void {
  reply
    .code(status)
    .headers(headers)
    .send(body === '' ? undefined : Buffer.from(body))
}

/** Finds the source address by `trustedProxies`, or by Fastify's `trustProxy` setting. */
function sourceFinder(trustedProxies: readonly string[] | undefined): SourceFinder<FastifyRequest> {
  const findSource = behindProxies(trustedProxies)
  if (findSource) return ({ raw }) => findSource(raw)
  let isOpen: boolean | undefined
  return (request, listener) => {
    if (listener.isSourceAllowed) {
      // Fastify's trust function is private, so its `ip` is asked.
      isOpen ??= believesStrangers((raw) =>
        Reflect.get(Object.create(request, { raw: { value: raw } }), 'ip'),
      )
      if (isOpen) throw trustsEveryProxy('trustProxy')
    }
    return request.ip
  }
}

/** Whether this scope has nested scopes. Fastify has no public list of them. */
function hasScopesInside(scope: FastifyInstance): boolean {
  const key = Object.getOwnPropertySymbols(scope).find(
    ({ description }) => description === 'fastify.children',
  )
  const inside: unknown = key && Reflect.get(scope, key)
  return Array.isArray(inside) && inside.length > 0
}

/** Used as a hook or a handler, or called. */
function notRegistered(): ListenerConfigError {
  return new ListenerConfigError(
    'verifyWebhook',
    'is a plugin: scope.register(verifyWebhook, { listener }), in a scope of its own',
  )
}

/**
 * Refuses a Fastify plugin that was called as something else. Express 4 and connect ignore promises, so the error goes to
 * `next` there.
 *
 * @throws ListenerConfigError everywhere else.
 */
function refuseMount([, response, next]: readonly unknown[]): Promise<void> {
  const isMiddleware = typeof next === 'function' && 'writeHead' in Object(response)
  if (!isMiddleware) throw notRegistered()
  next(notRegistered())
  return Promise.resolve()
}

function secondParser(): ListenerConfigError {
  return new ListenerConfigError(
    'addContentTypeParser',
    'verifyWebhook is the parser of its scope: add no other',
  )
}

/** Scopes created earlier keep Fastify's parsers, which would wait for a body that has been read. */
function scopeBefore(): ListenerConfigError {
  const problem = 'was registered after a scope inside its own, whose routes would never get their bodies'
  return new ListenerConfigError('verifyWebhook', `${problem}: register it first`)
}

function mountedTwice(): ListenerConfigError {
  return new ListenerConfigError('verifyWebhook', 'was mounted twice in one scope; mount it once')
}
