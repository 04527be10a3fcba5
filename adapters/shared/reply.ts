import { problem, type Reply } from '../../src/reply.ts'

export type { Reply } from '../../src/reply.ts'

export function replyListenerUnknown(): Reply {
  return problem(404, 'listener_unknown')
}

/** Nobody could decide: the sender keeps the event and asks again. */
export function replyUnavailable(retryAfterSeconds: number): Reply {
  return problem(503, 'unavailable', { 'retry-after': `${retryAfterSeconds}` })
}

/** For an answer that leaves bytes of the request unread: they must not be taken for the next request. */
export function thenClose(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, connection: 'close' } }
}

/** For web runtimes. An empty text would be given a content type, and a 204 has no body at all. */
export function responseOf(reply: Reply): Response {
  return new Response(reply.status === 204 ? null : reply.body || NO_BYTES, reply)
}

const NO_BYTES = new Uint8Array(0)
