import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { isNativePromise } from '../../src/lib/maybe-promise.ts'
import type { HandlerEnd } from '../kit/hung-up.ts'

/** The promise that the handler has returned, or that it answers in a callback. */
const RETURNED: unique symbol = Symbol('hookgate.returned')
const IN_CALLBACK: unique symbol = Symbol('hookgate.inCallback')

/** Called with the handler, if the response ended before that. */
const CALLED: unique symbol = Symbol('hookgate.called')

/** Settles when an answer that was held back goes on. */
const HELD: unique symbol = Symbol('hookgate.held')

/** Whether it is still held back. */
const IS_HELD: unique symbol = Symbol('hookgate.isHeld')

interface HandledRequest extends FastifyRequest {
  [RETURNED]?: Promise<unknown> | typeof IN_CALLBACK
  [CALLED]?: (returned: Promise<unknown> | typeof IN_CALLBACK) => void
  [HELD]?: Promise<void>
  [IS_HELD]?: boolean
}

/** An `onRoute` hook. Keeps what the handler returns, which Fastify shows to no other hook. */
export function keepReturned(route: RouteOptions): void {
  const { handler } = route
  const kept: RouteOptions['handler'] = function (request: HandledRequest, reply) {
    const returned: unknown = handler.call(this, request, reply)
    const seen = isNativePromise(returned) ? returned : IN_CALLBACK
    request[RETURNED] = seen
    request[CALLED]?.(seen)
    return seen === IN_CALLBACK ? returned : afterHeld(seen, request)
  }
  route.handler = Object.defineProperty(kept, 'name', { value: handler.name }) // tools show it
}

/** Holds an answer back until it is settled. Calls `goOn` then, or `fail` with what either has thrown. */
export function holdBack(
  request: HandledRequest,
  settled: Promise<unknown>,
  goOn: () => void,
  fail: (error: unknown) => void,
): void {
  request[IS_HELD] = true
  request[HELD] = untilSettled()

  async function untilSettled(): Promise<void> {
    try {
      try {
        await settled
      } finally {
        request[IS_HELD] = false
      }
      goOn()
    } catch (error) {
      fail(error)
    }
  }
}

/** Whether an answer is on its way, so that the next one is one too many. */
export function isHeldBack(request: HandledRequest): boolean {
  return request[IS_HELD] === true
}

/** Fastify takes a handler that returns while its answer is held back for one that has not answered, and would answer again. */
function afterHeld(returned: Promise<unknown>, request: HandledRequest): Promise<unknown> {
  return returned.then(
    (payload) => (request[HELD] ? request[HELD].then(() => payload) : payload),
    async (error) => {
      await request[HELD]
      throw error
    },
  )
}

/**
 * How the handler ends after its response has ended, or its client has left. Fastify sends what it returns, but sends nothing
 * for undefined then.
 */
export async function endOfRoute(request: HandledRequest, reply: FastifyReply): Promise<HandlerEnd> {
  const called = request[RETURNED]
  let mayAwaitReply = called !== undefined
  const endTurn = () => {
    mayAwaitReply = false
  }
  for (const wait of [setTimeout, setImmediate]) wait(endTurn)
  const isAwaited = noteAwait(reply)
  try {
    const payload = await (called ??
      new Promise((resolve) => {
        request[CALLED] = resolve
      }))
    if (payload === IN_CALLBACK) return 'leaves'
    if (isStream(payload)) return FAILED
    // What was ended before, because of `close`, is not sent.
    if (payload !== undefined) return reply.raw.writableEnded ? reply.statusCode : 'answers'
    if (isAwaited()) return 'answers'
    // `return reply`, before `close` ends it, returns nothing here either.
    return mayAwaitReply || reply.sent || reply.raw.headersSent ? 'leaves' : reply.statusCode
  } catch {
    return reply.raw.writableEnded ? FAILED : 'answers' // Fastify answers it
  }
}

/** Also of a stream that the client did not get to its end: Fastify cancels it, and does not end the response. */
const FAILED = 500

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
