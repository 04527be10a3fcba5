import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { WebhookEvent } from '../src/event.ts'
import { checkedElsewhere } from '../src/lib/options.ts'
import type { Listener } from '../src/listener.ts'
import { CHECKED, checkFirst, claimLast, parseChecked } from './kit/fastify-hooks.ts'
import { hasScopesInside, sourceFinder } from './kit/fastify-request.ts'
import { check } from './kit/outcome.ts'
import { type ListenerLookup, Receiver } from './kit/receiver.ts'
import { RECEIVER_OPTIONS, type ReceiverOptions } from './kit/receiver-options.ts'
import { mountedTwice, refuseMount, scopeBefore, secondParser } from './kit/set-up-errors.ts'

export type { ListenerLookup } from './kit/receiver.ts'
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
  readonly listener: Listener<unknown> | ListenerLookup<FastifyRequest, unknown>
  /** Networks of the proxies in front of you. If omitted, the source is `request.ip`, by Fastify's own `trustProxy`. */
  readonly trustedProxies?: readonly string[] | undefined
}

const OPTIONS = {
  ...RECEIVER_OPTIONS,
  listener: checkedElsewhere,
  trustedProxies: checkedElsewhere,
  // Options of `register` itself, which reads the same object.
  prefix: checkedElsewhere,
  logLevel: checkedElsewhere,
  logSerializers: checkedElsewhere,
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

/** Async, because Fastify reports rejections; after a throw, `ready()` would only time out. */
async function guardScope(...given: Parameters<GuardScope>): Promise<void> {
  const [scope, options] = given
  if (typeof scope?.addContentTypeParser !== 'function') return refuseMount(given)
  if (scope.addContentTypeParser === refuseParser) throw mountedTwice()
  if (hasScopesInside(scope)) throw scopeBefore()
  const isTwice = () => false // checked above
  const receiver = new Receiver('verifyWebhook', options?.listener, options, OPTIONS, check, isTwice)
  scope.decorateRequest(CHECKED)
  // Before parsing: Fastify's own parsers would respond with 413 and 415, and refuse valid JSON.
  scope.addHook('onRequest', checkFirst(receiver, sourceFinder(options.trustedProxies)))
  // After the route's rate limits and validation: what they refuse must stay unclaimed for the retry.
  scope.addHook('preHandler', claimLast(receiver))
  if (!scope.hasRequestDecorator('webhook')) scope.decorateRequest('webhook')
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(/^/, parseChecked) // not '*', which Fastify looks up for each request
  scope.addContentTypeParser = refuseParser
}
