import type { Handshake, Rejected, RejectedStatus } from './verdict.ts'

/**
 * An HTTP response, independent of any framework.
 *
 * @see {@link replyTo}
 */
export interface Reply {
  /** The HTTP status. */
  readonly status: number
  /** Header names in lower case. */
  readonly headers: { readonly [name: string]: string }
  /** The complete body as text. */
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

/** A problem document (RFC 9457). Reveals nothing beyond the code. */
export function problem(status: keyof typeof TITLES, code: string, headers: Reply['headers'] = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify({ status, title: TITLES[status], code }),
  }
}

/**
 * Returns the response for a verdict that is not `ok`, for hosts without an adapter. Status, headers and body are those
 * that the adapters send. All 401 responses of a listener are identical, so that guessing reveals nothing.
 *
 * If `verify` rejects with an `EventStoreError` or a `KeySetError`, send 503 with `Retry-After` yourself.
 *
 * @example
 * ```ts
 * const verdict = await verify(delivery, listener)
 * const { status, headers, body } = verdict.ok ? await handle(verdict.event) : replyTo(verdict)
 * ```
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
