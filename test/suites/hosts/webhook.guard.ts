import type { IncomingMessage, ServerResponse } from 'node:http'
import { createParamDecorator, type ExecutionContext, UseGuards } from '@nestjs/common'
import type { Listener, WebhookEvent } from 'hookgate'
import {
  behindProxies,
  createReceiver,
  fromNode,
  type ListenerLookup,
  sendReply,
  settleAfter,
  webhookOf,
} from 'hookgate/adapter'

type NodeRequest = IncomingMessage & { webhook?: WebhookEvent<unknown> }

/** Fastify keeps Node's request and response in `raw`, and Nest its `rawBody` beside them. */
type Kept<Node> = Node & { readonly raw?: Node; readonly rawBody?: Buffer }

function nodeOf(context: ExecutionContext) {
  const [request, response] = context.getArgs<[Kept<NodeRequest>, Kept<ServerResponse>]>()
  const { raw = request, rawBody } = request
  return { request: Object.assign(raw, { rawBody }), response: response.raw ?? response }
}

/** Lets verified deliveries through to the handler, and answers all others itself. */
export function VerifyWebhook(
  target: Listener<unknown> | ListenerLookup<NodeRequest, Listener<unknown>>,
  trustedProxies?: readonly string[],
) {
  const wasReceived = ({ webhook }: NodeRequest) => webhook !== undefined
  const receiver = createReceiver(target, {}, { caller: 'VerifyWebhook', wasReceived })
  const sourceOf = behindProxies(trustedProxies)
  const canActivate = async (context: ExecutionContext): Promise<boolean> => {
    const { request, response } = nodeOf(context)
    const outcome = await receiver.receiveAndClaim(request, fromNode(request, response, sourceOf))
    if (outcome.reply) {
      sendReply(response, outcome.reply)
      return new Promise(() => {}) // stays pending: Nest has nothing left to do
    }
    request.webhook = outcome.event
    settleAfter(response, outcome)
    return true
  }
  return UseGuards({ canActivate })
}

/** The verified event. */
export const Webhook = createParamDecorator((_: unknown, context: ExecutionContext) =>
  webhookOf(nodeOf(context).request),
)
