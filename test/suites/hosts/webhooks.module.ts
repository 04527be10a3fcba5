import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  Controller,
  createParamDecorator,
  type ExecutionContext,
  HttpCode,
  Module,
  Post,
  UseGuards,
} from '@nestjs/common'
import { defineListener, type EventOf, type Listener, type WebhookEvent } from 'hookgate'
import { createReceiver, fromNode, sendReply, settleAfter, webhookOf } from 'hookgate/adapter'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'

type NodeRequest = IncomingMessage & { webhook?: WebhookEvent<unknown> }

/** Fastify keeps Node's request and response in `raw`, and Nest its `rawBody` beside them. */
type Kept<Node> = Node & { readonly raw?: Node; readonly rawBody?: Buffer }

function nodeOf(context: ExecutionContext) {
  const [request, response] = context.getArgs<[Kept<NodeRequest>, Kept<ServerResponse>]>()
  const { raw = request, rawBody } = request
  return { request: Object.assign(raw, { rawBody }), response: response.raw ?? response }
}

/** Lets verified deliveries through to the handler, and answers all others itself. */
export function VerifyWebhook(listener: Listener<unknown>) {
  const wasReceived = ({ webhook }: NodeRequest) => webhook !== undefined
  const receiver = createReceiver(listener, {}, { caller: 'VerifyWebhook', wasReceived })
  const canActivate = async (context: ExecutionContext): Promise<boolean> => {
    const { request, response } = nodeOf(context)
    const outcome = await receiver.receiveAndClaim(request, fromNode(request, response))
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

const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }), // whsec_…
  store: memoryStore(), // for one process; several share Redis, Postgres, …
})

@Controller('webhooks')
export class WebhooksController {
  @Post('stripe')
  @HttpCode(200)
  @VerifyWebhook(listener)
  stripe(@Webhook() { id, type }: EventOf<typeof listener>) {
    console.log(type, id)
    return { received: true }
  }
}

@Module({ controllers: [WebhooksController] })
export class WebhooksModule {}
