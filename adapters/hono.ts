import type { Context, MiddlewareHandler } from 'hono'
import type { WebhookEvent } from '../src/event.ts'
import type { Json } from '../src/lib/json.ts'
import { aFunction, checkedElsewhere, optional } from '../src/lib/options.ts'
import type { Listener } from '../src/listener.ts'
import { honoStatus } from './kit/hono-answer.ts'
import { honoIncoming, nodeOf, offerBody } from './kit/hono-request.ts'
import { type Claimed, checkAndClaim } from './kit/outcome.ts'
import { type ListenerLookup, type OnOutcome, Receiver } from './kit/receiver.ts'
import { RECEIVER_OPTIONS, type ReceiverOptions } from './kit/receiver-options.ts'
import { responseOf } from './kit/reply.ts'
import { sourceTwice, sourceUnknown } from './kit/set-up-errors.ts'
import { settleBefore } from './kit/settle.ts'
import { settleAfter } from './kit/settle-after.ts'
import { behindProxies } from './kit/trusted-proxies.ts'

export type { ListenerLookup } from './kit/receiver.ts'

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
 * `cloneRawRequest` and `proxy`. On Node, the event is settled after the response, as in Express and Fastify. On other
 * runtimes it is settled before, because the platform may stop after the response.
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
export function verifyWebhook<Payload = Json>(
  target: Listener<Payload> | ListenerLookup<Context, Payload>,
  options: VerifyWebhookOptions = {},
): MiddlewareHandler<{ Variables: { webhook: WebhookEvent<Payload> } }> {
  const receive = receiveWith(target, options)
  return function verifyWebhook(c, next) {
    return receive(c, (outcome) => {
      if (outcome.reply) return responseOf(outcome.reply)
      const { event, listener } = outcome
      offerBody(c, event.rawBody)
      c.set('webhook', event)
      const { outgoing } = nodeOf(c)
      // Resolves with undefined: next() resolves with Hono's context, which would be taken for the handler's response.
      const run = async () => {
        await next()
      }
      if (outgoing === undefined) return settleBefore(listener, event, c.req.raw, run, honoStatus(c))
      const handled = run()
      settleAfter(outgoing, listener, event, handled)
      return handled
    })
  }
}

type Answered = Awaited<ReturnType<MiddlewareHandler>>

const OPTIONS = { ...RECEIVER_OPTIONS, sourceIp: optional(aFunction), trustedProxies: checkedElsewhere }

function receiveWith<Payload>(
  target: Listener<Payload> | ListenerLookup<Context, Payload>,
  options: VerifyWebhookOptions,
): (c: Context, onOutcome: OnOutcome<Claimed<Payload>, Answered>) => Promise<Answered> {
  const receiver = new Receiver('verifyWebhook', target, options, OPTIONS, checkAndClaim<Payload>)
  const sourceIp = sourceFinder(options)
  const isBlind = ({ isSourceAllowed }: Listener<unknown>) =>
    isSourceAllowed !== undefined && !options.sourceIp && !options.trustedProxies
  if (typeof target !== 'function' && isBlind(target)) throw sourceUnknown()
  return (c, answer) =>
    receiver.receive(
      c,
      honoIncoming(c),
      (listener) => {
        if (isBlind(listener)) throw sourceUnknown()
        return sourceIp(c)
      },
      answer,
    )
}

function sourceFinder({
  sourceIp,
  trustedProxies,
}: VerifyWebhookOptions): (c: Context) => string | undefined {
  if (sourceIp && trustedProxies) throw sourceTwice()
  if (sourceIp) return sourceIp
  const find = behindProxies(trustedProxies)
  return (c) => {
    const { incoming } = nodeOf(c)
    return incoming && (find ? find(incoming) : incoming.socket.remoteAddress)
  }
}
