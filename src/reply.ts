import type { Handshake, Rejected, RejectedStatus } from './verdict.ts'

/** An HTTP answer in no framework's words. */
export interface Reply {
  /** The HTTP status. */
  readonly status: number
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string }
  /** The whole body, as text. */
  readonly body: string
}

const TITLES: Readonly<Record<Exclude<RejectedStatus, 200> | 404, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  503: 'Service Unavailable',
}

/** RFC 9457, and no more than a stranger may read. */
export function problem(status: keyof typeof TITLES, code: string, headers: Reply['headers'] = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify({ status, title: TITLES[status], code }),
  }
}

/**
 * What to answer for a verdict that is not `ok`, on a host without an adapter: the same status, headers and body that
 * the adapters send. Every 401 looks alike, so that the endpoint does not tell a guesser how close the guess was.
 *
 * When `verify` rejects with an `EventStoreError` or a `KeySetError`, answer 503 with `Retry-After` yourself.
 */
export function replyTo(verdict: Rejected | Handshake): Reply {
  if (verdict.handshake) return verdict.reply
  const { status, retryAfterSeconds, challenge, isBare } = verdict
  if (status === 200) return { status, headers: {}, body: '' }
  if (status === 401) {
    const headers = challenge === undefined ? {} : { 'www-authenticate': challenge }
    return isBare ? { status, headers, body: '' } : problem(401, 'unauthorized', headers)
  }
  if (status === 405) return problem(405, verdict.reason, { allow: 'POST' })
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` }
  return problem(status, verdict.reason, headers)
}
