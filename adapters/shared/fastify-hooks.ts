import type {
  FastifyContentTypeParser,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
} from 'fastify'
import type { Attempt } from '../../src/checks/check.ts'
import type { WebhookEvent } from '../../src/event.ts'
import { isPromise, whenKnown } from '../../src/lib/maybe-promise.ts'
import type { Listener } from '../../src/listener.ts'
import type { Leaving } from './incoming.ts'
import { type Checked, claim } from './outcome.ts'
import { nodeIncoming } from './read-node.ts'
import type { Receiver } from './receiver.ts'
import type { Reply } from './reply.ts'
import { settleAfter } from './settle-after.ts'

export const CHECKED: unique symbol = Symbol('hookgate')

/** A request whose event is still to be claimed. Not declared on FastifyRequest: applications need not see the symbol. */
interface GuardedRequest extends FastifyRequest {
  [CHECKED]?: Attempt
}

/** The `onRequest` hook: reads the body, and answers what a check refuses. */
export function checkFirst(
  receiver: Receiver<FastifyRequest, unknown, Checked>,
  sourceOf: (request: FastifyRequest, listener: Listener<unknown>) => string | undefined,
): onRequestHookHandler {
  return (request: GuardedRequest, reply, done) => {
    const findSource = (listener: Listener<unknown>) => sourceOf(request, listener)
    receiver
      .receive(request, nodeIncoming(request.raw, reply.raw), findSource, (outcome) => {
        if (outcome.reply) return sendReply(reply, outcome.reply)
        request[CHECKED] = outcome.attempt
        return done()
      })
      .catch(done)
  }
}

/** The parser: what was parsed when it was checked. */
export const parseChecked: FastifyContentTypeParser = (request: GuardedRequest, _stream, parsed) => {
  parsed(null, request[CHECKED]?.payload)
}

/** The `preHandler` hook: claims the event, and answers for one that is somebody else's. */
export function claimLast(receiver: Receiver<FastifyRequest, unknown, Checked>): preHandlerHookHandler {
  return (request: GuardedRequest, reply, done) => {
    if (request.webhook) return done() // a handler that answers with reply.callNotFound() comes by again
    const attempt = request[CHECKED] as Attempt // onRequest lets nothing through without it
    const sender: Leaving = { whenGone: (tell) => void reply.raw.on('close', tell) }
    const outcome = receiver.hold(attempt.delivery.body.byteLength, sender, () => claim(attempt))
    const claimed = whenKnown(outcome, (known) => {
      if (known.reply) return sendReply(reply, known.reply)
      settleAfter(reply.raw, known.listener, known.event)
      request.webhook = known.event as WebhookEvent // of the payload that its listener says
      return done()
    })
    if (isPromise(claimed)) claimed.then(undefined, done)
  }
}

/** Sends bytes, because Fastify adds a charset to the type of a text, and nothing for no text, because it gives a type to bytes. */
function sendReply(reply: FastifyReply, { status, headers, body }: Reply): void {
  reply
    .code(status)
    .headers(headers)
    .send(body === '' ? undefined : Buffer.from(body))
}
