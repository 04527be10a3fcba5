import type { Rejected } from '../../src/verdict.ts'

/** An HTTP answer in no framework's words. */
export interface Reply {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

const TITLES: { readonly [status: number]: string } = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  503: 'Service Unavailable',
}

/** RFC 9457, and as little as it takes: strangers read this. */
function problem(status: number, code: string, headers: Reply['headers'] = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify({ status, title: TITLES[status], code }),
  }
}

/** Every 401 looks alike, so that the endpoint does not tell a guesser how far the guess went. */
export function replyToRejected(verdict: Rejected, challenge: string | undefined): Reply {
  if (verdict.status === 401) {
    return problem(401, 'unauthorized', challenge === undefined ? {} : { 'www-authenticate': challenge })
  }
  const { retryAfterSeconds } = verdict
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` }
  return problem(verdict.status, verdict.reason, headers)
}

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
