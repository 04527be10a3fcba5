import type { Reason } from '../reason.ts'
import { EVENT_ID_HEADER, TIMESTAMP_HEADER } from '../specification.ts'

/** A request that differs from the one that was signed. */
export interface MutatedRequest {
  /** `POST`, unless the change is to the method. */
  readonly method: string
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string }
  /** The bytes to send. */
  readonly body: Uint8Array<ArrayBuffer>
}

/** A change to a part that no signature covers. */
export interface WrongRequest {
  readonly name: string
  readonly reason: Reason
  readonly change: (request: MutatedRequest) => MutatedRequest
}

/** Sets a header of the request, or removes it. */
export function withHeader(request: MutatedRequest, name: string, value: string | undefined): MutatedRequest {
  const { [name]: _, ...headers } = request.headers
  return { ...request, headers: value === undefined ? headers : { ...headers, [name]: value } }
}

function method(name: string): WrongRequest {
  return {
    name: `the method ${name}`,
    reason: 'method_not_post',
    change: (request) => ({ ...request, method: name }),
  }
}

export function header(name: string, field: string, value: string | undefined, reason: Reason): WrongRequest {
  return { name, reason, change: (request) => withHeader(request, field, value) }
}

function contentType(name: string, value: string): WrongRequest {
  return header(name, 'content-type', value, 'content_type_not_json')
}

/** In the order of the checks. */
export const WRONG_REQUESTS: readonly WrongRequest[] = [
  method('PUT'),
  method('PATCH'),
  header('no Content-Type', 'content-type', undefined, 'header_missing'),
  header('no Webhook-Timestamp', TIMESTAMP_HEADER, undefined, 'header_missing'),
  header('an empty Webhook-Timestamp', TIMESTAMP_HEADER, '', 'header_missing'),
  header('no Webhook-Event-Id', EVENT_ID_HEADER, undefined, 'header_missing'),
  header('an empty Webhook-Event-Id', EVENT_ID_HEADER, '', 'header_missing'),
  contentType('plain text', 'text/plain'),
  contentType('a form', 'application/x-www-form-urlencoded'),
  contentType('JSON that says it is Latin-1', 'application/json; charset=iso-8859-1'),
  contentType('another kind of JSON', 'application/ld+json'),
  header('a body that says it is compressed', 'content-encoding', 'gzip', 'content_encoding_not_identity'),
]
