import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { WhenReturned } from '../kit/index.ts'

/** The promise that the handler has returned, or what is called with it, once the client has left. */
const RETURNED: unique symbol = Symbol('hookgate.returned')

type Watch = (returned: Promise<unknown>) => void

interface HandledRequest extends FastifyRequest {
  [RETURNED]?: Promise<unknown> | Watch
}

/** An `onRoute` hook. Keeps what the handler returns, which Fastify shows to no other hook. */
export function keepReturned(route: RouteOptions): void {
  const { handler } = route
  const kept: RouteOptions['handler'] = function (request: HandledRequest, reply) {
    const returned: unknown = handler.call(this, request, reply)
    if (!(returned instanceof Promise)) return returned // it answers in a callback
    const watch = request[RETURNED]
    request[RETURNED] = returned
    if (typeof watch === 'function') watch(returned)
    return returned
  }
  route.handler = Object.defineProperty(kept, 'name', { value: handler.name }) // tools show it
}

/** Settles with a handler that has been called, unless it answers in a callback. Its status is `reply.statusCode`, if it sets one. */
export function returnedBy(request: HandledRequest): Promise<undefined> | undefined {
  const returned = request[RETURNED]
  return returned instanceof Promise ? returned.then(() => undefined) : undefined
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
    const watch: Watch = (returned) =>
      void returned
        .then((payload) => {
          if (isStream(payload))
            setImmediate(() => tell(CUT_OFF)) // in a later turn than `close`
          // What was ended before, because of `close`, is not sent.
          else if (payload !== undefined) tell(reply.raw.writableEnded ? reply.statusCode : undefined)
          else if (isAwaited()) tell()
          // `return reply`, before `close` ends it, returns nothing here either.
          else if (!mayAwaitReply && !reply.sent && !reply.raw.headersSent) tell(reply.statusCode)
        })
        .catch(() => {}) // Fastify answers it
    const returned = request[RETURNED]
    if (returned instanceof Promise) watch(returned)
    else request[RETURNED] = watch
  }
}

/** The status of a stream that the client did not get to its end: Fastify cancels it, and does not end the response. */
const CUT_OFF = 500

/** Whether Fastify sends it piece by piece. */
function isStream(payload: unknown): boolean {
  const { body = payload }: { readonly body?: unknown } = Object(payload) // of a web response
  const { pipe, getReader }: { readonly pipe?: unknown; readonly getReader?: unknown } = Object(body)
  return typeof pipe === 'function' || typeof getReader === 'function'
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
