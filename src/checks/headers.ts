import { headerOf } from '../delivery.ts'
import { mediaTypeOf } from '../lib/content-type.ts'
import { type Failure, fail } from '../reason.ts'
import type { Verification } from '../verification.ts'

type HeaderReason =
  | 'method_not_post'
  | 'header_missing'
  | 'header_repeated'
  | 'content_type_not_json'
  | 'content_encoding_not_identity'

/** The likely cause: other senders, e.g. Stripe, send neither header. */
const ELSEWHERE = 'for another sender import its hookgate/schemes/<name>'

/**
 * Requires POST and each header of hookgate's scheme exactly once. Readers disagree about what a repeated header means, so
 * it is refused. Does not check the authentication header.
 */
export function checkHeaders(verification: Verification): Failure<HeaderReason> | undefined {
  const { delivery } = verification
  if (delivery.method !== 'POST')
    return fail('method_not_post', `the method is not POST${delivery.where ?? ''}`)

  const contentType = headerOf(delivery, 'content-type')
  const timestamp = headerOf(delivery, 'webhook-timestamp')
  const eventId = headerOf(delivery, 'webhook-event-id')
  if (contentType === undefined) return fail('header_missing', 'no Content-Type')
  if (timestamp === undefined) return fail('header_missing', `no Webhook-Timestamp; ${ELSEWHERE}`)
  if (eventId === undefined) return fail('header_missing', `no Webhook-Event-Id; ${ELSEWHERE}`)

  const contentEncoding = headerOf(delivery, 'content-encoding')
  if (typeof contentType !== 'string') return fail('header_repeated', 'more than one Content-Type')
  if (typeof timestamp !== 'string') return fail('header_repeated', 'more than one Webhook-Timestamp')
  if (typeof eventId !== 'string') return fail('header_repeated', 'more than one Webhook-Event-Id')
  if (typeof contentEncoding === 'object') return fail('header_repeated', 'more than one Content-Encoding')

  if (mediaTypeOf(contentType) !== 'application/json')
    return fail('content_type_not_json', 'Content-Type is not application/json in UTF-8')
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    return fail('content_encoding_not_identity', 'the body is compressed')
  }
  verification.timestampText = timestamp
  verification.eventIdText = eventId
  return undefined
}
