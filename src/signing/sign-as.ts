import { importJWK, type JWK } from 'jose'
import type { CodeScheme, SenderScheme, SignedParts, Unsigned } from '../code-scheme.ts'
import { hashBits, type Signed } from '../crypto/algorithms.ts'
import { toDerSignature } from '../crypto/der.ts'
import { wholeOf } from '../crypto/written.ts'
import type { Delivery } from '../delivery.ts'
import { ListenerConfigError } from '../errors.ts'
import { bytesOf, decodeUtf8, ENCODE, isBytes } from '../lib/bytes.ts'
import { mediaTypeOf } from '../lib/content-type.ts'
import { type Json, memberAt, parseJson, pointerSteps } from '../lib/json.ts'
import { checkOptions, type OptionCheck, type OptionTable, optional } from '../lib/options.ts'
import { writeTime } from '../lib/time.ts'
import { unread } from '../lib/unread.ts'
import type { PublicKeyAlgorithm, Scheme } from '../scheme.ts'
import { isMac, macOf, signedReader } from '../schemes/kit/authenticate.ts'
import { fits, isForm } from '../schemes/kit/body.ts'
import { FORM, formFields } from '../schemes/kit/form-fields.ts'
import { parsedBody } from '../schemes/kit/forms.ts'
import type { BodyForm, Content, TimeForm, ValueLocation } from '../schemes/kit/index.ts'
import { keyBytes } from '../schemes/kit/keys.ts'
import { KINDS } from '../schemes/kit/public-keys.ts'
import { ALL_PARTS } from '../schemes/kit/row-parts.ts'
import type { SignedValues } from '../schemes/kit/signed-text.ts'
import { withParameter } from '../schemes/kit/signed-url.ts'
import { aBody, anyBytes, anything, aText, bodyBytes, type SentBody, sentAs, sentBody } from './body.ts'
import type { SignedRequest } from './sign.ts'

const CONTENT_TYPES: Readonly<Record<Exclude<Content, BodyForm>, string>> = {
  json: 'application/json',
  form: FORM,
  'json-as-text': 'text/plain; charset=UTF-8',
}

/**
 * Signs a delivery as a sender does: `signAs(stripe, { secret, body })` returns what Stripe would have sent.
 * Also works with your own schemes.
 *
 * Leaves out headers that no check requires, and adds no times or IDs to the body. If the signature belongs
 * in the body, the body must be JSON. For Braintree, pass the XML as the body. If the content type is a form, a body in JSON is
 * written as the form that the sender makes of it. Creates HTTP message signatures with HMAC.
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
  // Only for callers in plain JavaScript.
  if (scheme === undefined)
    throw new ListenerConfigError('signAs', 'takes the scheme itself: stripe, not stripe(…)')
  checkOptions('signAs', options, SIGN_AS_OPTIONS)
  const kind = contentFor(scheme, options.contentType)
  const { contentType = typeof kind === 'string' ? CONTENT_TYPES[kind] : kind.contentType } = options
  const timestampText = timeText(scheme.timestamp, options.timestamp)
  const { eventId = crypto.randomUUID(), eventType } = options
  const headers: { [name: string]: string } = { 'content-type': contentType }
  setHeader(headers, scheme.timestamp, timestampText)
  setHeader(headers, scheme.eventId, eventId)
  if (eventType !== undefined) setHeader(headers, scheme.eventType, eventType)
  const known = { contentType, timestampText, eventId }
  if (scheme.algorithm === 'code') {
    const parts = await signByCode(scheme, options, known)
    const { headers: signature, body = bodyBytes(options.body), url } = parts
    const sent = { headers: { ...headers, ...signature }, body: sentAs(options.body, body) }
    return { method: 'POST', ...(url !== undefined && { url }), ...sent }
  }
  Object.assign(headers, scheme.fixedHeaders, scheme.signAsHeaders)
  const form = isForm(kind) ? writtenAsForm(kind, bodyBytes(options.body)) : undefined
  if (form !== undefined) {
    const { body, url } = await signByRow(scheme, { ...options, body: form }, headers, known)
    return { method: 'POST', ...url, headers, body: sentAs(options.body, body) }
  }
  const { body, url } = await signByRow(scheme, options, headers, known)
  if (typeof kind === 'string' || isForm(kind)) return { method: 'POST', ...url, headers, body }
  return { method: 'POST', ...url, headers, body: sentAs(options.body, kind.write(bodyBytes(body))) }
}

/** The kind of body that the content type names. Defaults to the sender's usual kind. */
function contentFor({ content = ['json'] }: SenderScheme, contentType: string | undefined): Content {
  const mediaType = contentType === undefined ? undefined : mediaTypeOf(contentType)
  const fitting = mediaType === undefined ? undefined : content.find((kind) => fits(kind, mediaType))
  return fitting ?? content[0] ?? 'json'
}

/** The form that the sender makes of JSON. Undefined if the body is not a JSON object, which is then sent unchanged. */
function writtenAsForm(kind: Content, body: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const parsed = parseJson(body)
  if ('problem' in parsed || typeof parsed.value !== 'object' || parsed.value === null) return undefined
  if (typeof kind === 'object') return kind.write(body)
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(parsed.value)) {
    for (const each of [value].flat())
      fields.append(name, typeof each === 'string' ? each : JSON.stringify(each))
  }
  return bodyBytes(`${fields}`)
}

/** Puts the signature into its header, or into the body or the URL that it returns. */
async function signByRow<Body>(
  scheme: Scheme,
  options: SignAsOptions & { readonly body: Body },
  headers: { [name: string]: string },
  { timestampText, eventId }: { readonly timestampText: string; readonly eventId: string },
): Promise<{ readonly body: SentBody<Body>; readonly url: { readonly url?: string } }> {
  const { headers: names, member, query, separator = '', writtenSeparator = separator } = scheme.signature
  const values = valuesOf(scheme, options, headers, { timestampText, eventIdText: eventId })
  const [signed] = (await signedReader(scheme, options, ALL_PARTS)(values)) ?? []
  if (signed === undefined) throw new ListenerConfigError('body', `lacks a value that ${scheme.sender} signs`)
  const { timestamp } = scheme
  const time = timestamp && 'item' in timestamp ? timestamp.item + timestampText + writtenSeparator : ''
  const signature = time + (await signatureOf(scheme, signed, options))
  if (names[0] !== undefined) headers[names[0]] = signature
  const body = member === undefined ? sentBody(options.body) : bodyWithMember(options.body, member, signature)
  if (query === undefined) return { body, url: {} }
  const publicUrl = required(options.publicUrl, 'publicUrl', scheme.name)
  return { body, url: { url: withParameter(publicUrl, query, signature) } }
}

function setHeader(
  headers: { [name: string]: string },
  place: ValueLocation | undefined,
  text: string,
): void {
  if (place && 'header' in place) headers[place.header] = text
}

function valuesOf(
  scheme: Scheme,
  options: SignAsOptions,
  headers: { readonly [name: string]: string },
  texts: Pick<SignedValues, 'timestampText' | 'eventIdText'>,
): SignedValues {
  const body = bodyBytes(options.body)
  const kind = contentFor(scheme, options.contentType)
  const readAs = typeof kind === 'string' || isForm(kind) ? kind : 'json'
  const delivery: Delivery = { method: 'POST', header: (name) => headers[name], body, sourceIp: undefined }
  return {
    ...texts,
    delivery,
    bytes: unread(body),
    text: () => decodeUtf8(body),
    parsed: () => parsedBody(body, [readAs], scheme.jsonField),
    fields: () => formFields(body),
  }
}

function timeText(time: TimeForm | undefined, given: number | string | undefined): string {
  if (typeof given === 'string') return given
  return writeTime(time?.unit ?? 'seconds', given ?? Math.floor(Date.now() / 1000))
}

/** The options of `signAs`. */
export interface SignAsOptions {
  /** The shared secret, as the sender's console shows it. */
  readonly secret?: string | undefined
  /** The public name of the secret, if the sender gives it one, e.g. LiveKit's API key. */
  readonly keyId?: string | undefined
  /** For schemes that sign with a private key: a private JWK. */
  readonly privateKey?: JWK | undefined
  /** The body: text, bytes, or a value to send as JSON, or as a form if the content type is one. An interface of the sender's SDK fits: `signAs<Stripe.Event>(…)`. */
  readonly body: Uint8Array | string | Json | object
  /**
   * The event's ID, if it is a header. Defaults to a new UUID. If the ID is in the body, write it there
   * yourself.
   */
  readonly eventId?: string | undefined
  /** The event's type, if the sender has a header for it. If omitted, so is the header. */
  readonly eventType?: string | undefined
  /** When it was sent, if that is a header: Unix seconds, or text to send unchanged. Defaults to now. */
  readonly timestamp?: number | string | undefined
  /** The endpoint's URL, if the scheme signs it, or puts the signature into its query. */
  readonly publicUrl?: string | undefined
  /** The content type. Defaults to the sender's usual one. */
  readonly contentType?: string | undefined
}

const optionalText = optional(aText)
const optionalBytes: OptionCheck = (value, option) => {
  optionalText(value, option)
  anyBytes(value, option)
}

const SIGN_AS_OPTIONS: OptionTable<SignAsOptions> = {
  secret: optionalText,
  keyId: optionalText,
  privateKey: anything,
  body: aBody,
  eventId: optionalBytes,
  eventType: optionalBytes,
  timestamp: anyBytes,
  publicUrl: optionalBytes,
  contentType: optionalBytes,
}

/**
 * Adds a member, named by a JSON pointer, to the body. Returns the type that was passed. @throws
 * ListenerConfigError
 */
function bodyWithMember<Body>(body: Body, pointer: string, text: string): SentBody<Body> {
  const parsed = parseJson(bodyBytes(body))
  const value = 'value' in parsed ? parsed.value : undefined
  const steps = pointerSteps(pointer)
  const parent = memberAt(value, steps.slice(0, -1))
  if (typeof parent !== 'object' || parent === null) {
    throw new ListenerConfigError('body', `must be JSON that can hold ${pointer}`)
  }
  Reflect.set(parent, steps.at(-1) ?? '', text)
  const written = JSON.stringify(value)
  return sentBody(isBytes(body) ? bodyBytes(written) : written) as SentBody<Body> // bytes for bytes, text otherwise
}

/**
 * Signs with a scheme's own code. @throws ListenerConfigError (as a rejection) if the scheme has none, or if
 * an option is missing.
 */
async function signByCode(
  { name, sign }: CodeScheme,
  options: SignAsOptions,
  known: Pick<Unsigned, 'contentType' | 'timestampText' | 'eventId'>,
): Promise<SignedParts> {
  if (sign === undefined) {
    throw new ListenerConfigError('signAs', `cannot sign as ${name}: only the sender holds its key`)
  }
  const body = bodyBytes(options.body)
  return await sign({
    ...known,
    body,
    json() {
      const parsed = parseJson(body)
      if ('problem' in parsed) throw new ListenerConfigError('body', `must be JSON to sign as ${name}`)
      return parsed.value
    },
    need(option) {
      const given = options[option]
      if (given === undefined) throw new ListenerConfigError(option, `signing as ${name} needs ${option}`)
      return given
    },
  })
}

/**
 * Computes the signature as its header contains it, prefix included. @throws ListenerConfigError for another
 * kind of key.
 */
async function signatureOf(
  scheme: Scheme,
  signed: Signed,
  { secret, privateKey }: SignAsOptions,
): Promise<string> {
  const { algorithm, key, signature, publicKey, name } = scheme
  const { prefix = '', spelling = 'hex', ecdsa } = signature
  if (algorithm === 'token') return prefix + required(secret, 'secret', name)
  if (isMac(algorithm) && !(publicKey && privateKey)) {
    const bytes = keyBytes(key, required(secret, 'secret', name))
    if (typeof bytes === 'string') throw new ListenerConfigError('secret', bytes)
    return prefix + (await macOf(algorithm, bytes, signature)(signed.before, signed.body, signed.after))
  }
  const signsBy = isMac(algorithm) ? 'ed25519' : algorithm
  const bytes = await signWith(signsBy, required(privateKey, 'privateKey', name), signed)
  const isDer = signsBy.startsWith('ecdsa') && ecdsa === undefined
  const sent = isDer ? toDerSignature(bytes, bytes.length / 2) : bytes
  return (publicKey?.prefix ?? prefix) + ENCODE[spelling](sent ?? bytes)
}

function required<Value>(value: Value | undefined, option: string, name: string): Value {
  if (value === undefined) throw new ListenerConfigError(option, `is needed to sign as ${name}`)
  return value
}

/** @throws ListenerConfigError (as a rejection) for a public key, and for one of another kind. */
async function signWith(
  algorithm: PublicKeyAlgorithm,
  { alg: _, ...privateKey }: JWK,
  { before, body, after }: Signed,
): Promise<Uint8Array> {
  const [name, { name: family }] = KINDS[algorithm]
  const key = await importJWK(privateKey, name).catch(() => undefined)
  if (typeof key !== 'object' || isBytes(key) || key.type !== 'private') {
    throw new ListenerConfigError('privateKey', `must be a private JWK for ${algorithm}`)
  }
  const bits = hashBits(name)
  const parameters = bits ? { name: family, hash: `SHA-${bits}`, saltLength: bits / 8 } : family
  return new Uint8Array(await crypto.subtle.sign(parameters, key, bytesOf(before, wholeOf(body), after)))
}
