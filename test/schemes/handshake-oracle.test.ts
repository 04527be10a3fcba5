import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { JWK } from 'jose'
import { describe, expect, it } from 'vitest'
import type { SenderScheme } from '../../src/code-scheme.ts'
import { wholeOf } from '../../src/crypto/written.ts'
import { type Delivery, defineListener, replyTo, verify } from '../../src/index.ts'
import { bytesOf } from '../../src/lib/bytes.ts'
import type { Json } from '../../src/lib/json.ts'
import { unread } from '../../src/lib/unread.ts'
import { signedReader } from '../../src/schemes/kit/authenticate.ts'
import { bodyReaders } from '../../src/schemes/kit/body.ts'
import { formFields } from '../../src/schemes/kit/form-fields.ts'
import { FORMS } from '../../src/schemes/kit/forms.ts'
import type { SchemeOptions } from '../../src/schemes/kit/index.ts'
import { ALL_PARTS } from '../../src/schemes/kit/row-parts.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs } from '../../src/testing/index.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { type VectorFetches, vectorFetch } from '../support/vector-fetch.ts'

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

interface Sample {
  readonly scheme: string
  readonly options: Omit<SchemeOptions, 'onHandshake'> & { readonly onHandshake?: true }
  readonly now: number
  readonly fetches?: VectorFetches
  readonly request: Omit<Sent, 'headers'> & { readonly headers: readonly (readonly [string, string])[] }
  readonly reply: { readonly status: number }
}

interface Vectors {
  readonly cases: readonly {
    readonly method: string
    readonly headers: readonly (readonly [string, string])[]
    readonly body?: string
    readonly expect: { readonly ok: boolean }
  }[]
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../vectors/schemes/${name}.json`, import.meta.url), 'utf8'))

const samples: readonly Sample[] = read('handshakes')
const rows = await Promise.all(
  SCHEME_NAMES.map(async (name) => ({ name, factory: await schemeFactory(name) })),
)
const withHandshake = rows.filter(({ factory }) => factory.scheme.handshake !== undefined)

const FORM = 'application/x-www-form-urlencoded'
/** What may stand in a delivery: words of hex, base64 with and without a line feed, JSON and a form. */
const TEXTS = ['a1'.repeat(10), 'b2'.repeat(16), 'PG5vdGU+PC9ub3RlPg==', 'YWJjZA==\n', '{"a":"b"}', 'a=b']

const ed25519 = generateKeyPairSync('ed25519')
const OWN_KEY = ed25519.privateKey.export({ format: 'jwk' }) as JWK // the same members
const OWN_HEX = ed25519.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')

const lowerCased = (headers: readonly (readonly [string, string])[]) =>
  Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]))

/** A value once for each of its texts, with that text replaced. */
function replacedIn(value: Json, text: string): readonly Json[] {
  if (typeof value === 'string') return [text]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    replacedIn(member, text).map((changed) =>
      Array.isArray(value)
        ? value.map((each, index) => (`${index}` === name ? changed : each))
        : { ...value, [name]: changed },
    ),
  )
}

/** A body, and this body with each of its texts replaced, or all of it. */
function bodiesWith(body: string, contentType: string | undefined, text: string): readonly string[] {
  if (contentType === FORM) {
    const fields = Object.fromEntries(new URLSearchParams(body))
    return [text, ...replacedIn(fields, text).map((each) => `${new URLSearchParams(Object(each))}`)]
  }
  try {
    return [text, ...replacedIn(JSON.parse(body), text).map((each) => JSON.stringify(each))]
  } catch {
    return [text]
  }
}

/** A handshake with each of its texts replaced by the chosen one. */
function asking({ request }: Sample, text: string): readonly Sent[] {
  const sent: Sent = { ...request, headers: lowerCased(request.headers) }
  const [path = '', query = ''] = sent.url.split('?')
  const names = [...new URLSearchParams(query).keys()]
  return [
    sent,
    ...names.map((name) => {
      const changed = new URLSearchParams(query)
      changed.set(name, text)
      return { ...sent, url: `${path}?${changed}` }
    }),
    ...Object.keys(sent.headers).map((name) => ({ ...sent, headers: { ...sent.headers, [name]: text } })),
    ...bodiesWith(sent.body, sent.headers['content-type'], text).map((body) => ({ ...sent, body })),
  ]
}

/** Every text of a reply, whole and split at what may divide a signature from its names. */
function textsOf({ headers, body }: { readonly headers: object; readonly body: string }): readonly string[] {
  let members: readonly string[] = []
  try {
    const parsed: object = JSON.parse(body)
    members = Object.values(Object(parsed)).map(String)
  } catch {}
  const whole = [body, ...members, ...Object.values(headers).map(String)]
  return [...new Set(whole.flatMap((text) => [text, ...text.split(/[|&=:,;.\s]+/)]))].filter(Boolean)
}

function deliveryOf({ method, url, headers, body }: Sent): Delivery {
  return { method, url, header: (name) => headers[name], body: Buffer.from(body), sourceIp: undefined }
}

/** A delivery that the sender has never signed, with a text as its signature. */
function forged(scheme: SenderScheme, sent: Sent, signature: string): Sent {
  const { headers, member } = scheme.signature
  const named = Object.fromEntries(headers.map((name) => [name, signature]))
  if (member === undefined) return { ...sent, headers: { ...sent.headers, ...named } }
  if (sent.headers['content-type'] === FORM) {
    const fields = new URLSearchParams(sent.body)
    fields.set(member.slice(1), signature)
    return { ...sent, body: `${fields}` }
  }
  try {
    const message: unknown = JSON.parse(sent.body)
    const steps = member.split('/').slice(1)
    const last = steps.pop() ?? ''
    const place = steps.reduce((found, step) => Object(Reflect.get(Object(found), step)), message)
    Reflect.set(Object(place), last, signature)
    return { ...sent, body: JSON.stringify(message) }
  } catch {
    return sent
  }
}

/** The texts that a delivery's signature may cover: as the row rebuilds them, and each of the delivery's own. */
async function signedTexts(
  scheme: SenderScheme,
  sent: Sent,
  publicUrl: string | undefined,
): Promise<readonly string[]> {
  const parsed = () => {
    const mediaType = sent.headers['content-type']?.split(';')[0]
    const reading = bodyReaders(scheme.content ?? ['json'], scheme.jsonField, FORMS)(mediaType)?.(
      Buffer.from(sent.body),
    )
    return reading && 'payload' in reading ? reading.payload : undefined
  }
  const own = [sent.body, ...Object.values(Object(parsed())).map(String)]
  if (scheme.algorithm === 'code') return own
  const textIn = (place: object | undefined) =>
    place && 'header' in place ? (sent.headers[String(place.header)] ?? '') : ''
  const values = {
    timestampText: textIn(scheme.timestamp),
    eventIdText: textIn(scheme.eventId),
    delivery: deliveryOf(sent),
    bytes: unread(deliveryOf(sent).body),
    text: () => sent.body,
    parsed,
    fields: () => formFields(deliveryOf(sent).body),
  }
  const signed = (await signedReader(scheme, { publicUrl }, ALL_PARTS)(values)) ?? []
  return [
    ...own,
    ...signed.map(({ before, body, after }) => Buffer.from(bytesOf(before, wholeOf(body), after)).toString()),
  ]
}

type Row = (typeof withHandshake)[number]

function listenerFor({ name, factory }: Row, sample: Sample) {
  const { onHandshake, ...options } = sample.options
  const isOurs = options.publicKeys !== undefined
  return defineListener({
    id: name,
    auth: factory({
      ...options,
      ...(isOurs && { publicKeys: OWN_HEX }),
      ...(onHandshake && { onHandshake: () => {} }),
      ...(sample.fetches && vectorFetch(sample.fetches)),
    }),
    store: memoryStore({ clock: { now: () => sample.now * 1000 } }),
    clock: { now: () => sample.now * 1000 },
  })
}

/** The handshake as its sender signs it, if the test can hold the sender's key. */
async function signedBySender({ factory }: Row, { options, now }: Sample, sent: Sent): Promise<Sent> {
  const { scheme } = factory
  const [first] = [options.secrets].flat()
  const secret = typeof first === 'object' ? first.secret : first
  const isSigned = scheme.handshake?.signed || (scheme.handshake?.bringsItsKey && secret !== undefined)
  if (!isSigned || (scheme as SenderScheme).algorithm === 'code') return sent
  const key = options.publicKeys === undefined ? { secret } : { privateKey: OWN_KEY }
  const { headers } = await signAs(factory, {
    ...key,
    body: sent.body,
    timestamp: now,
    ...(options.publicUrl && { publicUrl: options.publicUrl }),
  })
  return { ...sent, headers: { ...sent.headers, ...headers } }
}

/** What the handshake answers when it is asked about a text, in every way that it can be asked. */
async function answersTo(row: Row, sample: Sample, text: string): Promise<readonly string[]> {
  const listener = listenerFor(row, sample)
  const answers: string[] = []
  for (const request of asking(sample, text)) {
    const verdict = await verify(deliveryOf(await signedBySender(row, sample, request)), listener)
    if (!verdict.ok && verdict.handshake) answers.push(...textsOf(replyTo(verdict)))
  }
  return [...new Set(answers)]
}

/** Asks for signatures of everything that a delivery might sign, and offers every answer as its signature. */
async function forgeries(row: Row, sample: Sample): Promise<readonly string[]> {
  const { scheme } = row.factory
  const listener = listenerFor(row, sample)
  const [genuine] = (read(row.name) as Vectors).cases.filter(({ expect }) => expect.ok)
  if (genuine?.body === undefined) throw new Error(`no delivery of ${row.name} to imitate`)
  const base: Sent = { ...genuine, url: '/hooks', headers: lowerCased(genuine.headers), body: genuine.body }
  const bodies = TEXTS.flatMap((text) => bodiesWith(base.body, base.headers['content-type'], text))
  const known = new Map<string, readonly string[]>()
  const found: string[] = []
  for (const body of new Set([base.body, ...bodies])) {
    const sent = forged(scheme, { ...base, body }, 'none')
    for (const text of new Set(await signedTexts(scheme, sent, sample.options.publicUrl))) {
      const answers = known.get(text) ?? (await answersTo(row, sample, text))
      known.set(text, answers)
      for (const answer of answers.flatMap((each) => [each, `${scheme.signature.prefix ?? ''}${each}`])) {
        const attempt = forged(scheme, sent, answer)
        if ((await verify(deliveryOf(attempt), listener)).ok) found.push(`${attempt.body}: ${answer}`)
      }
    }
  }
  return found
}

describe.each(withHandshake)('the handshake of $name', (row) => {
  const own = samples.filter(({ scheme, reply }) => scheme === row.name && reply.status < 300)

  it('the handshake signs and echoes nothing that passes as the signature of a delivery', async () => {
    expect(own.length).toBeGreaterThan(0)
    for (const sample of own) {
      expect(await forgeries(row, sample)).toEqual([])
    }
  })
})
