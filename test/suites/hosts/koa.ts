import type { EventOf, Listener, WebhookEvent } from 'hookgate'
import {
  behindProxies,
  createReceiver,
  fromNode,
  type ListenerLookup,
  type ReceiverOptions,
  sendReply,
  settleAfter,
} from 'hookgate/adapter'
import Koa, { type Context, type Middleware } from 'koa'
import { listener } from './listener.ts'

interface VerifyWebhookOptions extends ReceiverOptions {
  readonly trustedProxies?: readonly string[]
}

export function verifyWebhook<Given extends Listener<unknown>>(
  target: Given | ListenerLookup<Context, Given>,
  options: VerifyWebhookOptions = {},
): Middleware<{ webhook: EventOf<Given> }> {
  // a check of its value: here, behindProxies does that
  const ownOptions = { trustedProxies() {} }
  const receiver = createReceiver<Context, Given>(target, options, {
    ownOptions,
  })
  const sourceOf = behindProxies(options.trustedProxies)
  return async (ctx, next) => {
    const outcome = await receiver.receiveAndClaim(
      ctx,
      fromNode(ctx.req, ctx.res, sourceOf),
    )
    if (outcome.reply) {
      ctx.respond = false
      return sendReply(ctx.res, outcome.reply)
    }
    ctx.state.webhook = outcome.event
    const handled = next()
    settleAfter(ctx.res, outcome, handled, () => ctx.status)
    return handled
  }
}

export const app = new Koa<{ webhook: WebhookEvent }>()
// before any body parser, and only for this path if there are others
app.use(verifyWebhook(listener))
app.use((ctx) => {
  const { id, type } = ctx.state.webhook
  console.log(type, id)
  ctx.body = { received: true }
})
