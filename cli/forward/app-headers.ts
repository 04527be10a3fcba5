import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { WebhookEvent } from '../../src/index.ts'
import { mediaTypeOf } from '../../src/lib/content-type.ts'
import { parseJson } from '../../src/lib/json.ts'
import { FORM } from '../../src/schemes/kit/form-fields.ts'
import { peerOf } from '../listen/server.ts'
import type { Forwarding } from './forward-options.ts'
import { signatureHeaders } from './signature.ts'

interface AppEvent {
  readonly event: WebhookEvent<unknown>
  /** `Webhook-Id`, or `Webhook-Event-Id` if hookgate's own format or nothing is signed. */
  readonly key: string
  /** When the sender says it sent this, if it does. */
  readonly sentAt: Date | undefined
  readonly isReplay: boolean
}

interface AppHeaderOptions extends Pick<Forwarding, 'secret' | 'format' | 'passed'> {
  /** The headers of the sender's scheme, in lower case. Each passes if it came once. */
  readonly ofSender: readonly string[]
  /** The URL that senders call, for `X-Forwarded-Host` and `-Proto`. */
  readonly publicUrl: URL
}

/**
 * Builds the headers for the app one by one, so that no other header of the sender gets through, under any spelling. `Host`
 * and `Connection` belong to the connection to the app.
 */
export function appHeaders(
  { event, key, sentAt, isReplay }: AppEvent,
  request: IncomingMessage,
  { secret, format, passed, ofSender, publicUrl }: AppHeaderOptions,
): OutgoingHttpHeaders {
  const { headers } = request
  const source = peerOf(request)
  return {
    ...passedOn(request, passed),
    ...passedOn(
      request,
      ofSender.filter((name) => request.headersDistinct[name]?.length === 1),
    ),
    ...traceOf(headers),
    'content-type': contentType(event, request, secret !== undefined) ?? [],
    'content-length': event.rawBody.byteLength,
    ...(secret === undefined
      ? { 'webhook-event-id': headerText(key) }
      : signatureHeaders(headerText(key), event.rawBody, secret, format)),
    'hookgate-event-id': headerText(event.id),
    ...(isReplay && { 'hookgate-replay': '1' }),
    'hookgate-listener': headerText(event.listenerId),
    'hookgate-auth': event.auth.method === 'scheme' ? event.auth.scheme : event.auth.method,
    'hookgate-key-id': headerText(keyIdOf(event.auth)),
    ...(sentAt !== undefined && { 'hookgate-sent-at': sentAt.toISOString() }),
    ...(source !== undefined && { 'hookgate-source-ip': source, 'x-forwarded-for': source }),
    'x-forwarded-proto': publicUrl.protocol.slice(0, -1),
    'x-forwarded-host': publicUrl.host,
  }
}

/** How senders label JSON, besides `application/json`. */
const MAYBE_JSON = /^(?:text\/plain|application\/(?:octet-stream|.+\+json))$/

/** What a body without a type is (RFC 9110 8.3). */
const ANY_BYTES = 'application/octet-stream'

/**
 * As the sender wrote it. The query of a GET is a form. In a signed delivery, JSON is called JSON, so that apps
 * parse it, and hookgate's own scheme takes it: SNS, for one, sends it as `text/plain`.
 */
function contentType(
  { rawBody }: WebhookEvent<unknown>,
  { method, headers }: IncomingMessage,
  isSigned: boolean,
): string | undefined {
  if (method === 'GET') return FORM
  const given = headers['content-type']
  if (!isSigned) return given
  const mayBeJson = given === undefined || MAYBE_JSON.test(mediaTypeOf(given) ?? '')
  return mayBeJson && 'value' in parseJson(rawBody) ? 'application/json' : (given ?? ANY_BYTES)
}

/** Leaves out what the sender's `Connection` names, because it is for the gateway only (RFC 9110 7.6.1). */
function passedOn(
  { headers: { connection = '' }, headersDistinct }: IncomingMessage,
  passed: readonly string[],
): OutgoingHttpHeaders {
  const ended = connection.split(',').map((name) => name.trim().toLowerCase())
  const onward = passed.filter((name) => headersDistinct[name] && !ended.includes(name))
  return Object.fromEntries(onward.map((name) => [name, headersDistinct[name]]))
}

const TRACE_PARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/
const LONGEST_TRACE_STATE = 512

/** Passes on W3C trace context if it is well formed. */
function traceOf({ traceparent, tracestate }: IncomingMessage['headers']): OutgoingHttpHeaders {
  if (typeof traceparent !== 'string' || !TRACE_PARENT.test(traceparent)) return {}
  if (typeof tracestate !== 'string' || tracestate.length > LONGEST_TRACE_STATE) return { traceparent }
  return { traceparent, tracestate }
}

/** Of a delivery, and so with a key. */
function keyIdOf(auth: WebhookEvent['auth']): string {
  return auth.method === 'jwt' ? auth.keyId : 'secretId' in auth ? auth.secretId : ''
}

/** Percent-encodes anything but visible ASCII, because servers decode other characters differently. */
function headerText(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) ? text : encodeURIComponent(text.toWellFormed())
}
