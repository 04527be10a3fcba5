import type { MaybePromise } from './lib/maybe-promise.ts'
import type { Failure, RejectedStatus } from './reason.ts'

/** An HTTP response, independent of any framework. */
export interface Reply {
  /** The HTTP status. */
  readonly status: number
  /** Header names in lower case. */
  readonly headers: { readonly [name: string]: string }
  /** The complete body as text. */
  readonly body: string
}

/** The answer to a handshake, or why it is refused. Undefined if the request is not one. */
export type HandshakeAnswer = MaybePromise<
  { readonly reply: Reply } | Failure<'body_malformed' | 'timestamp_out_of_range'> | undefined
>

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
