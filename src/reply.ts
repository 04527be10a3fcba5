import type { RejectedStatus } from './reason.ts'

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
