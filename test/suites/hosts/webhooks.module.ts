import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type ArgumentsHost,
  applyDecorators,
  Catch,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  HttpCode,
  Module,
  Post,
  UseFilters,
  UseGuards,
} from '@nestjs/common'
import {
  defineListener,
  type EventOf,
  type Listener,
  type WebhookEvent,
} from 'hookgate'
import {
  createReceiver,
  fromNode,
  type Refusal,
  sendReply,
  settleAfter,
  webhookOf,
} from 'hookgate/adapter'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'

type NodeRequest = IncomingMessage & { webhook?: WebhookEvent<unknown> }

/**
 * Fastify keeps Node's request and response in `raw`, and Nest its
 * `rawBody` beside them.
 */
type Kept<Node> = Node & {
  readonly raw?: Node
  readonly rawBody?: Buffer
}

function nodeOf(host: ArgumentsHost) {
  const [request, response] =
    host.getArgs<[Kept<NodeRequest>, Kept<ServerResponse>]>()
  const { raw = request, rawBody } = request
  return {
    request: Object.assign(raw, { rawBody }),
    response: response.raw ?? response,
  }
}

class Refused extends Error {
  readonly reply: Refusal['reply']
  constructor({ reply }: Refusal) {
    super('the delivery runs no handler')
    this.reply = reply
  }
}

@Catch(Refused)
class SendReply {
  catch({ reply }: Refused, host: ArgumentsHost) {
    sendReply(nodeOf(host).response, reply)
  }
}

/**
 * Lets verified deliveries through to the handler, and answers all
 * others itself.
 */
export function VerifyWebhook(listener: Listener<unknown>) {
  const wasReceived = ({ webhook }: NodeRequest) =>
    webhook !== undefined
  const receiver = createReceiver(
    listener,
    {},
    { caller: 'VerifyWebhook', wasReceived },
  )
  const canActivate = async (
    context: ExecutionContext,
  ): Promise<boolean> => {
    const { request, response } = nodeOf(context)
    const outcome = await receiver.receiveAndClaim(
      request,
      fromNode(request, response),
    )
    if (outcome.reply) throw new Refused(outcome)
    request.webhook = outcome.event
    settleAfter(response, outcome)
    return true
  }
  return applyDecorators(
    UseGuards({ canActivate }),
    UseFilters(SendReply),
  )
}

/** The verified event. */
export const Webhook = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    webhookOf(nodeOf(context).request),
)

const listener = defineListener({
  id: 'stripe',
  // whsec_…
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
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
