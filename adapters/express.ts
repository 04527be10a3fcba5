import type { IncomingMessage, ServerResponse } from 'node:http'
import type { WebhookEvent } from '../src/event.ts'
import type { Json } from '../src/lib/json.ts'
import { checkedElsewhere } from '../src/lib/options.ts'
import type { Listener } from '../src/listener.ts'
import { attach, type ExpressFields, expressIncoming, sourceFinder } from './kit/express-request.ts'
import { type Claimed, checkAndClaim } from './kit/outcome.ts'
import { type ListenerLookup, type OnOutcome, Receiver } from './kit/receiver.ts'
import { RECEIVER_OPTIONS, type ReceiverOptions } from './kit/receiver-options.ts'
import type { Reply } from './kit/reply.ts'
import { settleAfter } from './kit/settle-after.ts'

export type { ListenerLookup } from './kit/receiver.ts'
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

/**
 * Middleware for Express 4 and 5, connect and plain `node:http` servers.
 *
 * @see {@link verifyWebhook}
 */
export type WebhookMiddleware<Request extends IncomingMessage> = (
  request: Request,
  response: ServerResponse,
  next: (error?: unknown) => void,
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
export function verifyWebhook<Request extends IncomingMessage = IncomingMessage, Payload = Json>(
  target: Listener<Payload> | ListenerLookup<Request, Payload>,
  options: VerifyWebhookOptions = {},
): WebhookMiddleware<Request> {
  const receive = receiveWith(target, options)
  return function verifyWebhook(request, response, next) {
    receive(request, response, (outcome) => {
      if (outcome.reply) return sendReply(response, outcome.reply)
      settleAfter(response, outcome.listener, outcome.event)
      attach(request, outcome.event)
      next()
    }).catch(next)
  }
}

function receiveWith<Request extends IncomingMessage & ExpressFields, Payload>(
  target: Listener<Payload> | ListenerLookup<Request, Payload>,
  options: VerifyWebhookOptions,
): (
  request: Request,
  response: ServerResponse,
  onOutcome: OnOutcome<Claimed<Payload>, void>,
) => Promise<void> {
  const table = { ...RECEIVER_OPTIONS, trustedProxies: checkedElsewhere }
  const wasReceived = (request: Request) => request.webhook !== undefined
  const receiver = new Receiver('verifyWebhook', target, options, table, checkAndClaim<Payload>, wasReceived)
  const sourceOf = sourceFinder(options.trustedProxies)
  return (request, response, answer) =>
    receiver.receive(
      request,
      expressIncoming(request, response),
      (listener) => sourceOf(request, listener),
      answer,
    )
}

function sendReply(response: ServerResponse, { status, headers, body }: Reply): void {
  if (response.writableEnded) return // e.g. a timeout answered while the body arrived
  // A 204 has no length (RFC 9110 8.6).
  const framing = status === 204 ? undefined : { 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, { ...headers, ...framing }).end(body)
}
