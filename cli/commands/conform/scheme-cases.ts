import { headerTitle } from '../../../src/explain/expected-sender.ts'
import { memberAt, pointerSteps } from '../../../src/lib/json.ts'
import { isForm } from '../../../src/schemes/kit/body.ts'
import { coverageOf, headerIn, signsUrl } from '../../../src/schemes/kit/compile-scheme.ts'
import { FORM } from '../../../src/schemes/kit/form-fields.ts'
import type { PublicKeyAlgorithm, SenderScheme } from '../../../src/schemes/kit/index.ts'
import { KINDS } from '../../../src/schemes/kit/public-keys.ts'
import type { Outgoing } from '../../../src/sender/exchange.ts'
import { bodyBytes } from '../../../src/signing/body.ts'
import { type SignAsOptions, signAs } from '../../../src/signing/sign-as.ts'
import { newPrivateKey } from '../../signing/private-key.ts'
import { sampleOf, typeOf } from '../../signing/samples.ts'
import { nowSeconds, signedMembers, signsTime, withMember, withTime } from '../../signing/scheme-body.ts'
import type { AnyScheme } from '../../signing/schemes.ts'
import { ACCEPTED, accepted, type Case } from './case.ts'

/** What signs as the sender, and the endpoint's URL as the sender knows it. */
export type SenderKeys = Pick<SignAsOptions, 'secret' | 'keyId' | 'privateKey'> & {
  readonly publicUrl: string
}

interface Draft {
  readonly body: string
  readonly eventId: string
  /** Seconds since 1970. Defaults to now. */
  readonly sentAt?: number
  /** Defaults to the sender's usual one. */
  readonly contentType?: string
}

type SignedDelivery = Outgoing & { readonly headers: { readonly [name: string]: string } }
type SignDraft = (draft: Draft, other?: Partial<SenderKeys>) => Promise<SignedDelivery>

/** Senders and their libraries answer a wrong signature with any of these. */
const UNAUTHORIZED = [401, 400, 403]
const MALFORMED = [400, 401, 403, 415, 422]
/** How far beyond the tolerance a time is wrong, and how far within it is right, in seconds. */
const BEYOND = 20
const WITHIN = 10
/** More than common frameworks read by default. */
const LARGE_BYTES = 200_000

const bytes = (text: string): Uint8Array => Buffer.from(text)
const newDraft = (scheme: SenderScheme): Draft => ({ body: sampleOf(scheme), eventId: crypto.randomUUID() })

/** Leaves out cases about what the scheme does not sign, and about times that it does not have. */
export function schemeCases(factory: AnyScheme, keys: SenderKeys): readonly Case[] {
  const { scheme } = factory
  const eventType = typeOf(scheme, undefined)
  const sign: SignDraft = async ({ sentAt, ...draft }, other) => {
    const options = { ...keys, ...other, ...draft, eventType, timestamp: sentAt }
    const { headers, body: sent, url } = await signAs(factory, options)
    return { headers, body: bodyBytes(sent), url }
  }
  const first = newDraft(scheme)
  return [
    ...deliveries(scheme, sign, first),
    ...bodies(scheme, sign, first),
    ...times(scheme, sign, first),
    ...signatures(scheme, sign, keys),
    ...changes(scheme, sign),
    ...urls(scheme, sign, keys),
    ...requests(scheme, sign),
  ]
}

/** Event IDs as the receiver knows them. */
export function senderIdOf({ eventId }: SenderScheme): (sent: Outgoing) => string | undefined {
  return ({ headers, body }) => {
    if (eventId === undefined || 'item' in eventId) return undefined
    if ('header' in eventId) return `${headers[eventId.header] ?? ''}` || undefined
    try {
      const id = memberAt(JSON.parse(Buffer.from(body).toString()), pointerSteps(eventId.member))
      return id === undefined ? undefined : `${id}`
    } catch {
      return undefined
    }
  }
}

function* deliveries({ sender, timestamp }: SenderScheme, sign: SignDraft, first: Draft): Iterable<Case> {
  let sent: Promise<SignedDelivery> | undefined
  const once = () => (sent ??= sign(first))
  const again = `Answer 2xx to a duplicate: ${sender} may send any delivery twice, and retries after another answer.`
  yield accepted('a delivery', `Accept what ${sender} signs with this secret, for this URL.`, once)
  yield acceptedAgain('the same delivery again', again, once)
  if (timestamp?.of === 'attempt') {
    yield acceptedAgain('the same event, signed again', again, () => sign(first))
  }
}

/** Bodies that change when a receiver parses and prints them again. */
function* bodies(scheme: SenderScheme, sign: SignDraft, first: Draft): Iterable<Case> {
  if (coverageOf(scheme) !== 'body') return
  const exact = 'Sign and verify the exact bytes of the body: keep a parser from changing them.'
  const isInForm = isFormOf(scheme)
  const field = isInForm && 'jsonField' in scheme ? scheme.jsonField : undefined
  const isOfFields = isInForm && field === undefined
  const added = (name: string, text: string, rule = exact) =>
    acceptedAgain(name, rule, () =>
      sign({ ...first, body: isOfFields ? `${first.body}&${text}` : withAdded(first.body, text, field) }),
    )
  if (isOfFields) {
    yield added('a form beyond ASCII', 'Text=Zo%C3%AB+%F0%9F%99%82')
    yield added('a form with an encoded plus sign', 'Text=1%2B1')
    yield added('a form with an empty field', 'Empty=')
    return
  }
  yield added('a body with spaces and a line break', ' "a" : 1.0 ,\n"b":[ ] ')
  yield added('a body beyond ASCII', '"name":"Zoë 🙂"')
  yield added('a body with escapes', '"a":"\\u00e9\\/"')
  yield added('a repeated member', '"a":1,"a":2')
  if (scheme.content?.some((kind) => typeof kind === 'object' && isForm(kind))) {
    const either = `Verify a form by its bytes too, or answer 415: ${scheme.sender} may be set to send forms.`
    const asForm = () => sign({ ...first, contentType: FORM })
    yield { ...acceptedAgain('the event in a form', either, asForm), statuses: [...ACCEPTED, 415, 400] }
  }
  if (scheme.maxBodyBytes <= LARGE_BYTES * 2) return
  const large = `Read bodies of this size: ${scheme.sender} may send ${scheme.maxBodyBytes.toLocaleString('en')} bytes.`
  yield added('a body of 200 KB', `"a":"${'x'.repeat(LARGE_BYTES)}"`, large)
}

/** Adds a member to the object, or to a list an object with it. The JSON may be in the only field of a form. */
function withAdded(body: string, member: string, field?: string): string {
  if (field === undefined)
    return body.startsWith('[') ? `[{${member}},${body.slice(1)}` : `{${member},${body.slice(1)}`
  const json = new URLSearchParams(body).get(field) ?? ''
  return `${new URLSearchParams([[field, withAdded(json, member)]])}`
}

function* times(scheme: SenderScheme, sign: SignDraft, first: Draft): Iterable<Case> {
  const { sender, timestamp: time } = scheme
  if (time?.toleranceSeconds === undefined) return
  const { toleranceSeconds: tolerance } = time
  const signedAgo = (draft: Draft, seconds: number) => {
    const sentAt = nowSeconds() - seconds
    return sign({ ...draft, sentAt, body: withTime(draft.body, time, sentAt) })
  }
  const rule = `Refuse a delivery that is over ${tolerance} s old: others could replay it.`
  const old = refuses(`a delivery signed ${tolerance + BEYOND} s ago`, rule, () =>
    signedAgo(newDraft(scheme), tolerance + BEYOND),
  )
  if (tolerance <= 2 * WITHIN) return yield old
  const within = `Accept a delivery of ${sender} until it is ${tolerance} s old: clocks differ, and networks are slow.`
  yield acceptedAgain(`a delivery signed ${tolerance - WITHIN} s ago`, within, () =>
    signedAgo(first, tolerance - WITHIN),
  )
  yield { ...old, code: 'timestamp_out_of_range', statuses: MALFORMED }
}

function* signatures(scheme: SenderScheme, sign: SignDraft, keys: SenderKeys): Iterable<Case> {
  const { sender, algorithm, signature, timestamp } = scheme
  const [header] = signature.headers
  const isToken = coverageOf(scheme) === 'token'
  const rule = isToken
    ? `Compare the whole token of ${sender} with yours.`
    : `Compare the whole signature of ${sender} with your own, made with your secret.`
  const late = newDraft(scheme)
  const last = 'Remember an event only after its delivery has passed every check.'
  yield refuses(isToken ? 'another token' : "another secret's signature", rule, () =>
    sign(newDraft(scheme), otherKeys(scheme, keys)),
  )
  yield refuses('a new event, wrongly signed', rule, () => sign(late, otherKeys(scheme, keys)))
  yield accepted('the same event, correctly signed', last, () => sign(late))
  const { query } = signature
  if (query !== undefined) yield* inQuery(query, sign(newDraft(scheme)), rule)
  if (header === undefined) return
  const changed = (name: string, change: (text: string) => string) =>
    refuses(name, rule, async () => {
      const request = await sign(newDraft(scheme))
      return withHeaders(request, { [header]: change(request.headers[header] ?? '') })
    })
  yield refuses('no signature', `Refuse a delivery without ${headerTitle(header)}.`, async () => {
    const request = await sign(newDraft(scheme))
    return withHeaders(request, Object.fromEntries(signature.headers.map((name) => [name, undefined])))
  })
  yield changed('a signature with one character changed', otherCharacter)
  yield changed('a signature that lacks its end', (text) => text.slice(0, -4))
  const { separator, prefix = '' } = 'separator' in signature ? signature : {}
  if (separator !== undefined) {
    const either = `Accept if one of several signatures matches: ${sender} signs with two secrets during a rotation.`
    yield acceptedAgain('a wrong signature before the right one', either, async () => {
      const request = await sign(late)
      const items = (request.headers[header] ?? '').split(separator)
      const isFirstTime = timestamp !== undefined && 'item' in timestamp && timestamp.item === ''
      const both = items.flatMap((item, at) =>
        item.startsWith(prefix) && !(isFirstTime && at === 0) ? [otherCharacter(item), item] : [item],
      )
      return withHeaders(request, { [header]: both.join(separator) })
    })
  } else if (algorithm !== 'code') {
    const once = 'Refuse a delivery that repeats this header: other software may read the other value.'
    yield refuses(`${headerTitle(header)} twice`, once, async () => {
      const request = await sign(newDraft(scheme))
      const value = request.headers[header] ?? ''
      return { ...request, headers: { ...request.headers, [header]: [otherCharacter(value), value] } }
    })
  }
}

/** Signatures in the query that are missing, changed or there twice. */
function* inQuery(name: string, signed: Promise<SignedDelivery>, rule: string): Iterable<Case> {
  const changed = (what: string, text: string, change: (query: URLSearchParams, signature: string) => void) =>
    refuses(what, text, async () => {
      const request = await signed
      const url = new URL(request.url ?? '')
      change(url.searchParams, url.searchParams.get(name) ?? '')
      return { ...request, url: url.href }
    })
  const once = 'Refuse a delivery that repeats this parameter: other software may read the other value.'
  yield changed('no signature', `Refuse a delivery without ${name} in its query.`, (query) =>
    query.delete(name),
  )
  yield changed('a signature with one character changed', rule, (query, signature) =>
    query.set(name, otherCharacter(signature)),
  )
  yield changed('a signature that lacks its end', rule, (query, signature) =>
    query.set(name, signature.slice(0, -4)),
  )
  yield changed(`${name} twice`, once, (query, signature) => query.append(name, otherCharacter(signature)))
}

function* changes(scheme: SenderScheme, sign: SignDraft): Iterable<Case> {
  const rule = `Verify the signature over everything that ${scheme.sender} signs.`
  const name = 'a body changed after signing'
  const [member] = signedMembers(scheme)
  const covers = coverageOf(scheme)
  if (covers === 'body') {
    yield refuses(name, rule, async () => {
      const request = await sign(newDraft(scheme))
      return { ...request, body: Buffer.concat([request.body, bytes(isFormOf(scheme) ? '&a=b' : ' ')]) }
    })
  }
  if (covers === 'values' && member !== undefined && scheme.content === undefined) {
    yield refuses(name, rule, async () => {
      const request = await sign(newDraft(scheme))
      return { ...request, body: bytes(withMember(Buffer.from(request.body).toString(), member, '1')) }
    })
  }
  const header = headerIn(scheme.timestamp)
  if (header === undefined || !signsTime(scheme)) return
  const first = newDraft(scheme)
  yield refuses('a time changed after signing', rule, async () => {
    const sentAt = nowSeconds()
    const request = await sign({ ...first, sentAt })
    const next = await sign({ ...first, sentAt: sentAt + 1 })
    return withHeaders(request, { [header]: next.headers[header] })
  })
}

function* urls(scheme: SenderScheme, sign: SignDraft, { publicUrl }: SenderKeys): Iterable<Case> {
  if (!signsUrl(scheme)) return
  const { sender } = scheme
  const rule = `Verify the URL that ${sender} signs, as ${sender} knows it.`
  yield refuses('a signature for another URL', rule, () =>
    sign(newDraft(scheme), { publicUrl: `${publicUrl}x` }),
  )
}

function* requests(scheme: SenderScheme, sign: SignDraft): Iterable<Case> {
  const { sender, algorithm, content, signature, handshake } = scheme
  yield {
    ...refuses('the method PUT', `Accept only the methods that ${sender} uses.`, async () => ({
      ...(await sign(newDraft(scheme))),
      method: 'PUT',
    })),
    code: 'method_not_post',
    statuses: [400, 401, 403, 404, 405],
  }
  const isBodyFree =
    algorithm !== 'code' && signature.headers.length > 0 && signedMembers(scheme).length === 0
  const isJson = content === undefined || content[0] === 'json'
  if (!isBodyFree || !isJson || handshake?.signed === false) return
  const rule = 'Answer 400 to a signed body that is not JSON: after another answer, it comes again.'
  yield {
    ...refuses('a signed body that is not JSON', rule, () =>
      sign({ ...newDraft(scheme), body: '{"hookgate":' }),
    ),
    code: 'body_not_json',
    statuses: MALFORMED,
  }
}

const refuses = (name: string, rule: string, make: Case['make']): Case => ({
  name,
  rule,
  statuses: UNAUTHORIZED,
  code: 'unauthorized',
  make,
})

const acceptedAgain = (name: string, rule: string, make: Case['make']): Case => ({
  ...accepted(name, rule, make),
  statuses: ACCEPTED,
  needsAccepted: true,
})

const isFormOf = ({ content: [form] = ['json'] }: SenderScheme): boolean => form === 'form'

function withHeaders(
  request: SignedDelivery,
  changed: { readonly [name: string]: string | undefined },
): SignedDelivery {
  const kept = Object.entries({ ...request.headers, ...changed }).filter(
    (each): each is [string, string] => each[1] !== undefined,
  )
  return { ...request, headers: Object.fromEntries(kept) }
}

/** Changes a character near the end: encodings may ignore the last bits. */
function otherCharacter(text: string): string {
  const at = Math.max(0, text.length - 10)
  return text.slice(0, at) + (text.charAt(at) === '0' ? '1' : '0') + text.slice(at + 1)
}

function otherKeys({ algorithm }: SenderScheme, { secret, privateKey }: SenderKeys): Partial<SenderKeys> {
  if (privateKey === undefined) return { secret: otherCharacter(secret ?? '') }
  const [name] = KINDS[algorithm as PublicKeyAlgorithm] // those with a private key
  return { privateKey: { ...privateKey, ...newPrivateKey(name).export({ format: 'jwk' }) } }
}
