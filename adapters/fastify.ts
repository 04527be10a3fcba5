import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { WebhookEvent } from '../src/event.ts'
import { checkedElsewhere } from '../src/lib/options.ts'
import type { Listener } from '../src/listener.ts'
import { CHECKED, checkFirst, claimLast, parseChecked } from './shared/fastify-hooks.ts'
import { hasScopesInside, sourceFinder } from './shared/fastify-request.ts'
import { check } from './shared/outcome.ts'
import { type ListenerLookup, Receiver } from './shared/receiver.ts'
import { RECEIVER_OPTIONS, type ReceiverOptions } from './shared/receiver-options.ts'
import { mountedTwice, refuseMount, scopeBefore, secondParser } from './shared/set-up-errors.ts'

export type { ListenerLookup } from './shared/receiver.ts'
export { webhookOf } from './shared/webhook-of.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The verified event, on routes that `verifyWebhook` guards, from the route's own `preHandler` on. `webhookOf` gives it
     * the type of a payload schema.
     */
    webhook: WebhookEvent
  }
}

/** The options of `verifyWebhook`. */
export interface VerifyWebhookOptions extends ReceiverOptions {
  /** The listener, or a function that finds it for a request. */
  readonly listener: Listener<unknown> | ListenerLookup<FastifyRequest, unknown>
  /** Networks of the proxies in front. Left out, the source is `request.ip`, by Fastify's own `trustProxy` setting. */
  readonly trustedProxies?: readonly string[] | undefined
}

const OPTIONS = {
  ...RECEIVER_OPTIONS,
  listener: checkedElsewhere,
  trustedProxies: checkedElsewhere,
  // What `register` itself reads from the same object.
  prefix: checkedElsewhere,
  logLevel: checkedElsewhere,
  logSerializers: checkedElsewhere,
}

/**
 * Guards every route of the scope it is registered in, and nothing outside it: register it first, in a scope of its
 * own. Handlers find the event in `request.webhook` and its payload in `request.body`. All other deliveries are
 * answered here; what is wrong with the set-up goes to the error handler, as a ListenerConfigError that names the fix.
 *
 * The checks run in `onRequest`. The event is claimed in `preHandler`, behind the rate limit, the schema and the `preValidation` of
 * the route: what they refuse stays free for the sender's next attempt. The route's own `preHandler` may read `request.webhook`.
 *
 * Where the sender's handshake is a GET, a HEAD or an OPTIONS, write `scope.all` for `scope.post`.
 *
 * ```ts
 * app.register(async (scope) => {
 *   await scope.register(verifyWebhook, { listener })
 *   scope.post('/webhooks', async (request) => handle(request.webhook))
 * })
 * ```
 */
export const verifyWebhook: FastifyPluginAsync<VerifyWebhookOptions> = fp(guardScope, {
  name: 'hookgate',
  fastify: '5.x',
})

/** Another parser, in the scope or one inside it, would wait for a body that has been read. */
function refuseParser(): never {
  throw secondParser()
}

type GuardScope = FastifyPluginAsync<VerifyWebhookOptions>

/** Async, because Fastify hands on what a promise rejects with: a throw would leave `ready()` waiting for a timeout. */
async function guardScope(...given: Parameters<GuardScope>): Promise<void> {
  const [scope, options] = given
  if (typeof scope?.addContentTypeParser !== 'function') return refuseMount(given)
  if (scope.addContentTypeParser === refuseParser) throw mountedTwice()
  if (hasScopesInside(scope)) throw scopeBefore()
  const isTwice = () => false // seen to above
  const receiver = new Receiver('verifyWebhook', options?.listener, options, OPTIONS, check, isTwice)
  scope.decorateRequest(CHECKED)
  // Before parsing: Fastify's own parsers would answer 413 and 415, and refuse JSON that is valid.
  scope.addHook('onRequest', checkFirst(receiver, sourceFinder(options.trustedProxies)))
  // Behind the route's rate limits and validation: what they refuse has to stay free for the retry.
  scope.addHook('preHandler', claimLast(receiver))
  if (!scope.hasRequestDecorator('webhook')) scope.decorateRequest('webhook')
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(/^/, parseChecked) // not '*', which Fastify looks for anew for each request
  scope.addContentTypeParser = refuseParser
}
