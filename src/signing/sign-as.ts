import type { Delivery } from '../delivery.ts'
import { ListenerConfigError } from '../errors.ts'
import { checkOptions } from '../lib/options.ts'
import type { SenderScheme } from '../scheme/code-scheme.ts'
import { bodyReaders } from '../scheme/content.ts'
import type { BodyForm, Content, Place, Scheme, TimeForm } from '../scheme/index.ts'
import { signedReader } from '../scheme/signed-reader.ts'
import type { SignedValues } from '../scheme/signed-text.ts'
import { bodyBytes, type SentBody, sentAs, sentBody } from './body.ts'
import { bodyWithMember } from './body-with-member.ts'
import { signatureOf } from './scheme-signature.ts'
import type { SignedRequest } from './sign.ts'
import { SIGN_AS_OPTIONS, type SignAsOptions } from './sign-as-options.ts'
import { signByCode } from './sign-by-code.ts'

const CONTENT_TYPES: Readonly<Record<Exclude<Content, BodyForm>, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  'json as text': 'text/plain; charset=UTF-8',
}

/**
 * Signs a delivery as a sender does: `signAs(stripe, { secret, body })` returns what Stripe would have sent.
 * Also works with your own schemes.
 *
 * Leaves out headers that no check requires, and adds no times or IDs to the body. If the signature belongs
 * in the body, the body must be JSON. For Braintree, pass the XML as the body. Creates HTTP message
 * signatures with HMAC.
 *
 * @example
 * ```ts
 * const request = await signAs(stripe, { secret, body: { id: 'evt_1', type: 'invoice.paid' } })
 * await fetch('http://localhost:3000/webhooks/stripe', request)
 * ```
 *
 * @throws ListenerConfigError (as a rejection) for options that are unknown, wrong or missing, and for a scheme whose key only
 * the sender holds: `sns`, `paypal`, `plaid`, `pubsub`.
 */
export async function signAs<const Body extends SignAsOptions['body']>(
  { scheme }: { readonly scheme: SenderScheme },
  options: SignAsOptions & { readonly body: Body },
): Promise<SignedRequest<SentBody<Body>>> {
  checkOptions('signAs', options, SIGN_AS_OPTIONS)
  const { content: [form = 'json'] = [] } = scheme
  const { contentType = typeof form === 'string' ? CONTENT_TYPES[form] : form.contentType } = options
  const timestampText = timeText(scheme.timestamp, options.timestamp)
  const { eventId = crypto.randomUUID(), eventType } = options
  const headers: { [name: string]: string } = { 'content-type': contentType }
  setHeader(headers, scheme.timestamp, timestampText)
  setHeader(headers, scheme.eventId, eventId)
  if (eventType !== undefined) setHeader(headers, scheme.eventType, eventType)
  const known = { contentType, timestampText, eventId }
  if (scheme.algorithm === 'code') {
    const { headers: signature, body = bodyBytes(options.body) } = await signByCode(scheme, options, known)
    return { method: 'POST', headers: { ...headers, ...signature }, body: sentAs(options.body, body) }
  }
  Object.assign(headers, scheme.fixedHeaders, scheme.signAsHeaders)
  const body = await signByRow(scheme, options, headers, known)
  if (typeof form === 'string') return { method: 'POST', headers, body }
  return { method: 'POST', headers, body: sentAs(options.body, form.write(bodyBytes(body))) }
}

/** Puts the signature into its header, or into the body that it returns. */
async function signByRow<Body>(
  scheme: Scheme,
  options: SignAsOptions & { readonly body: Body },
  headers: { [name: string]: string },
  { timestampText, eventId }: { readonly timestampText: string; readonly eventId: string },
): Promise<SentBody<Body>> {
  const values = valuesOf(scheme, options, headers, { timestampText, eventIdText: eventId })
  const { headers: names, member } = scheme.signature
  const signature = await signatureText(scheme, options, values)
  if (names[0] !== undefined) headers[names[0]] = signature
  return member === undefined ? sentBody(options.body) : bodyWithMember(options.body, member, signature)
}

function setHeader(headers: { [name: string]: string }, place: Place | undefined, text: string): void {
  if (place && 'header' in place) headers[place.header] = text
}

async function signatureText(scheme: Scheme, options: SignAsOptions, values: SignedValues): Promise<string> {
  const { separator = '' } = scheme.signature
  const { publicUrl } = options
  const [signed] = (await signedReader(scheme, { publicUrl }).read(values)) ?? []
  if (signed === undefined) throw new ListenerConfigError('body', `lacks a value that ${scheme.sender} signs`)
  const signature = await signatureOf(scheme, signed, options)
  const time =
    scheme.timestamp && 'item' in scheme.timestamp ? scheme.timestamp.item + values.timestampText : undefined
  return time === undefined ? signature : `${time}${separator}${signature}`
}

function valuesOf(
  scheme: Scheme,
  options: SignAsOptions,
  headers: { readonly [name: string]: string },
  texts: Pick<SignedValues, 'timestampText' | 'eventIdText'>,
): SignedValues {
  const body = bodyBytes(options.body)
  const { content = ['json'], jsonField } = scheme
  const read = bodyReaders(typeof content[0] === 'object' ? ['json'] : content, jsonField)(undefined)
  const delivery: Delivery = { method: 'POST', header: (name) => headers[name], body, sourceIp: undefined }
  return {
    ...texts,
    delivery,
    parsed: () => {
      const reading = read?.(body)
      return reading && 'payload' in reading ? reading.payload : undefined
    },
  }
}

function timeText(time: TimeForm | undefined, given: number | string | undefined): string {
  if (typeof given === 'string') return given
  const seconds = given ?? Math.floor(Date.now() / 1000)
  if (time?.unit === 'milliseconds') return `${Math.round(seconds * 1000)}`
  return time?.unit === 'rfc3339' ? new Date(seconds * 1000).toISOString() : `${seconds}`
}
