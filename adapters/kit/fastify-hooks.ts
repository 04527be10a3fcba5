import type {
  FastifyContentTypeParser,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
} from 'fastify'
import type { WebhookEvent } from '../../src/event.ts'
import { isPromise, whenKnown } from '../../src/lib/maybe-promise.ts'
import type { Listener } from '../../src/listener.ts'
import type { Verification } from '../../src/verification.ts'
import type { Leaving } from './bodies-in-flight.ts'
import type { Incoming } from './incoming.ts'
import { type Checked, claim } from './outcome.ts'
import { nodeIncoming } from './read-node.ts'
import type { Receiver } from './receiver.ts'
import type { Reply } from './reply.ts'
import { settleAfter } from './settle-after.ts'

export const CHECKED: unique symbol = Symbol('hookgate')
const HEADERS: unique symbol = Symbol('hookgate.headers')

/** A checked request whose event is not claimed yet. Not declared on FastifyRequest, to hide the symbols from users. */
interface GuardedRequest extends FastifyRequest {
  [CHECKED]?: Verification
  /** Set while `headers` hides the content type. */
  [HEADERS]?: FastifyRequest['headers']
}

/** The `onRequest` hook: reads the body, runs the checks, and responds to refused deliveries. */
export function checkFirst(
  receiver: Receiver<FastifyRequest, unknown, Checked>,
  sourceOf: (request: FastifyRequest, listener: Listener<unknown>) => string | undefined,
): onRequestHookHandler {
  return (request: GuardedRequest, reply, done) => {
    const findSource = (listener: Listener<unknown>) => sourceOf(request, listener)
    receiver
      .receive(request, incomingOf(request, reply), findSource, (outcome) => {
        if (outcome.reply) return sendReply(reply, outcome.reply)
        request[CHECKED] = outcome.verification
        hideOddType(request)
        return done()
      })
      .catch(done)
  }
}

/** A request with another method is probably for another route of the guarded scope, not a webhook. */
function incomingOf(request: FastifyRequest, reply: FastifyReply): Incoming {
  const incoming = nodeIncoming(request.raw, reply.raw)
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
  request[HEADERS] = headers
  request.headers = { ...headers, 'content-type': undefined, 'transfer-encoding': 'chunked' }
}

/** The content type parser: returns the payload that the checks parsed. */
export const parseChecked: FastifyContentTypeParser = (request: GuardedRequest, _stream, parsed) => {
  if (request[HEADERS]) request.headers = request[HEADERS]
  parsed(null, request[CHECKED]?.payload)
}

/** The `preHandler` hook: claims the event, and responds if the claim fails. */
export function claimLast(receiver: Receiver<FastifyRequest, unknown, Checked>): preHandlerHookHandler {
  return (request: GuardedRequest, reply, done) => {
    if (request.webhook) return done() // reply.callNotFound() runs the hook again
    const verification = request[CHECKED] as Verification // set by onRequest
    const sender: Leaving = { whenGone: (tell) => void reply.raw.on('close', tell) }
    const outcome = receiver.hold(verification.delivery.body.byteLength, sender, claim(verification))
    const claimed = whenKnown(outcome, (known) => {
      if (known.reply) return sendReply(reply, known.reply)
      settleAfter(reply.raw, known.listener, known.event)
      request.webhook = known.event as WebhookEvent // the listener determines the payload's type
      if (request.method === 'GET') request.body = verification.payload // Fastify parses no body of a GET
      return done()
    })
    if (isPromise(claimed)) claimed.then(undefined, done)
  }
}

/** Sends a Buffer, because Fastify adds a charset to text. Sends undefined for an empty body, which gets no content type. */
function sendReply(reply: FastifyReply, { status, headers, body }: Reply): void {
  reply
    .code(status)
    .headers(headers)
    .send(body === '' ? undefined : Buffer.from(body))
}
