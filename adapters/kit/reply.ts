import { problem, type Reply } from '../../src/reply.ts'

export type { Reply } from '../../src/reply.ts'

export function replyListenerUnknown(): Reply {
  return problem(404, 'listener_unknown')
}

/** Undecided: the sender should retry. */
export function replyUnavailable(retryAfterSeconds: number): Reply {
  return problem(503, 'unavailable', { 'retry-after': `${retryAfterSeconds}` })
}

/** For responses that leave part of the body unread, so that it is not parsed as the next request. */
export function thenClose(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, connection: 'close' } }
}

/** For web runtimes. An empty string would get a content type, and a 204 must not have a body. */
export function responseOf(reply: Reply): Response {
  return new Response(reply.status === 204 ? null : reply.body || NO_BYTES, reply)
}

const NO_BYTES = new Uint8Array(0)
