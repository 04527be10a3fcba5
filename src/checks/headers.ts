import { type Delivery, headerOf } from '../delivery.ts'
import { mediaTypeOf, shownType } from '../lib/content-type.ts'
import { type Failure, fail } from '../reason.ts'
import type { Verification } from '../verification.ts'

type HeaderReason =
  | 'method_not_post'
  | 'header_missing'
  | 'header_repeated'
  | 'content_type_not_json'
  | 'content_type_not_accepted'
  | 'content_encoding_not_identity'

/**
 * Requires POST, or another method of the sender, and the headers of its scheme. Readers disagree about what a repeated
 * header means, so it is refused. Does not check the header with the signature.
 */
export function checkHeaders(verification: Verification): Failure<HeaderReason> | undefined {
  const { delivery, protocol } = verification
  // A body of a GET would not be signed.
  if (!protocol.methods.includes(delivery.method) || hasBodyOfGet(delivery))
    return fail(
      'method_not_post',
      `the method is not ${protocol.methods.join(', or ')}${delivery.where ?? ''}`,
    )
  let contentType = ''
  let contentEncoding = ''
  let repeated: string | undefined
  for (let index = 0; index < protocol.headers.length; index += 1) {
    const name = protocol.headers[index] ?? ''
    const value = name === protocol.dateHeader ? dateIn(delivery, name) : headerOf(delivery, name)
    if (value === undefined) {
      if (index < protocol.required) return fail('header_missing', `no ${name}`)
    } else if (typeof value !== 'string') repeated ??= name
    else {
      if (name === 'content-type') contentType = value
      if (name === 'content-encoding') contentEncoding = value
      if (name === protocol.timestampHeader) verification.timestampText = value
      if (name === protocol.eventIdHeader) verification.eventIdText = value
    }
  }
  if (repeated !== undefined) return fail('header_repeated', `more than one ${repeated}`)
  return checkContent(verification, contentType, contentEncoding)
}

/** A date contains `, `, so a host that joins the lines of a repeated header reports one date as two values. */
function dateIn(delivery: Delivery, name: string): ReturnType<typeof headerOf> {
  const value = headerOf(delivery, name)
  return typeof value === 'object' && value.length === 2 && delivery.joinsHeaders ? value.join(', ') : value
}

/** The content type of most senders is unsigned and may be missing. The body then gets the sender's usual type. */
function checkContent(
  verification: Verification,
  contentType: string,
  contentEncoding: string,
): Failure<HeaderReason> | undefined {
  const { delivery, protocol } = verification
  const mediaType = contentType === '' ? undefined : (mediaTypeOf(contentType) ?? 'malformed')
  const parseBody = protocol.readerFor(mediaType)
  if (parseBody === undefined) {
    return fail(
      protocol.wrongContent,
      `Content-Type is ${shownType(contentType)}, not ${protocol.mediaTypes.join(' or ')}, in UTF-8`,
    )
  }
  if (contentEncoding !== '' && contentEncoding.toLowerCase() !== 'identity') {
    return fail(
      'content_encoding_not_identity',
      `Content-Encoding is ${shownType(contentEncoding)}, not identity`,
    )
  }
  const { readQuery } = protocol
  verification.parseBody = delivery.method === 'GET' && readQuery ? () => readQuery(delivery) : parseBody
  return undefined
}

const hasBodyOfGet = ({ method, body }: Delivery) => method === 'GET' && body.byteLength > 0
