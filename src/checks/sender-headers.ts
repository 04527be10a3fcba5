import { type Delivery, headerOf, queryTextOf } from '../delivery.ts'
import { mediaTypeOf } from '../lib/content-type.ts'
import { type Failure, fail } from '../reason.ts'
import { parseForm, type Reading } from '../scheme/body.ts'
import type { SenderVerification } from '../verification.ts'

type HeaderReason =
  | 'method_not_post'
  | 'header_missing'
  | 'header_repeated'
  | 'content_type_not_accepted'
  | 'content_encoding_not_identity'

/**
 * Requires POST, or another method of the sender, and the headers of its scheme, each at most once. The content type is
 * unsigned and may be missing; the body then gets the sender's usual type. Does not check the signature.
 */
export function checkSenderHeaders(verification: SenderVerification): Failure<HeaderReason> | undefined {
  const { delivery, sender } = verification
  const { methods = ['POST'] } = sender.scheme
  // A body of a GET would not be signed.
  if (!methods.some((method) => method === delivery.method) || hasBodyOfGet(delivery))
    return fail('method_not_post', `the method is not ${methods.join(', or ')}${delivery.where ?? ''}`)
  for (const name of sender.requiredHeaders) {
    if (headerOf(delivery, name) === undefined) return fail('header_missing', `no ${name}`)
  }
  for (const name of sender.singleHeaders) {
    if (typeof headerOf(delivery, name) === 'object') return fail('header_repeated', `more than one ${name}`)
  }
  verification.timestampText = textOf(verification, sender.timestampHeader)
  verification.eventIdText = textOf(verification, sender.eventIdHeader)
  return checkContent(verification)
}

function checkContent(verification: SenderVerification): Failure<HeaderReason> | undefined {
  const { readerFor, scheme } = verification.sender
  const contentType = textOf(verification, 'content-type')
  const contentEncoding = textOf(verification, 'content-encoding')
  const mediaType = contentType === '' ? undefined : (mediaTypeOf(contentType) ?? 'malformed')
  const readBody = readerFor(mediaType)
  if (readBody === undefined) {
    return fail('content_type_not_accepted', `${scheme.sender} does not send this content type`)
  }
  if (contentEncoding !== '' && contentEncoding.toLowerCase() !== 'identity') {
    return fail('content_encoding_not_identity', 'the body is compressed')
  }
  const { delivery } = verification
  verification.readBody = delivery.method === 'GET' ? () => readQuery(delivery) : readBody
  return undefined
}

const hasBodyOfGet = ({ method, body }: Delivery) => method === 'GET' && body.byteLength > 0

/** Reads the payload of a GET from its query. */
function readQuery(delivery: Delivery): Reading {
  const text = queryTextOf(delivery)
  const payload = text === undefined ? undefined : parseForm(text.replaceAll('+', ' '))
  return payload === undefined ? fail('body_malformed', 'the query is not a form in UTF-8') : { payload }
}

/** Empty if the header is absent, or if the scheme does not define it. */
function textOf({ delivery }: SenderVerification, name: string | undefined): string {
  const value = name === undefined ? '' : headerOf(delivery, name)
  return typeof value === 'string' ? value : ''
}
