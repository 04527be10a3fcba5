import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { WhenReturned } from '../kit/index.ts'

/** What the route's handler has returned. Null for nothing, undefined if it has not been called. */
export const RETURNED: unique symbol = Symbol('hookgate.returned')
const ON_RETURNED: unique symbol = Symbol('hookgate.onReturned')

interface HandledRequest extends FastifyRequest {
  [RETURNED]?: unknown
  /** Set once the client has left. */
  [ON_RETURNED]?: (returned: unknown) => void
}

/** An `onRoute` hook. Keeps what the handler returns, which Fastify shows to no other hook. */
export function keepReturned(route: RouteOptions): void {
  const { handler } = route
  route.handler = function keptHandler(request: HandledRequest, reply) {
    const returned: unknown = Reflect.apply(handler, this, [request, reply])
    request[RETURNED] = returned ?? null
    request[ON_RETURNED]?.(returned)
    return returned
  }
}

/**
 * Tells when the handler of a request has returned whose client has left. Fastify sends what it returned, but sends nothing for
 * undefined then, so that status is told here.
 */
export function whenRouteReturned(request: HandledRequest, reply: FastifyReply): WhenReturned {
  return (tell, isClosing) => {
    let mayAwaitReply = isClosing
    const endTurn = () => {
      mayAwaitReply = false
    }
    if (isClosing) for (const wait of [setTimeout, setImmediate]) wait(endTurn)
    const isAwaited = noteAwait(reply)
    const watch = (returned: unknown) => {
      if (!(returned instanceof Promise)) return // it answers in a callback
      returned
        .then((payload) => {
          if (payload !== undefined || isAwaited()) tell()
          // `return reply`, before `close` ends it, returns nothing here either.
          else if (!mayAwaitReply && !reply.sent && !reply.raw.headersSent) tell(reply.statusCode)
        })
        .catch(() => {}) // Fastify answers it
    }
    if (request[RETURNED] === undefined) request[ON_RETURNED] = watch
    else watch(request[RETURNED])
  }
}

/** Notes `return reply` and `await reply`, with which a handler leaves its answer to a callback. */
function noteAwait(reply: FastifyReply): () => boolean {
  const { then } = reply
  let isAwaited = false
  // biome-ignore lint/suspicious/noThenProperty: Fastify's own, noted
  reply.then = (...given) => {
    isAwaited = true
    return Reflect.apply(then, reply, given)
  }
  return () => isAwaited
}
