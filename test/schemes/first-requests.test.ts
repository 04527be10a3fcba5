import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { defineListener, replyTo, verify } from '../../src/index.ts'
import type { SchemeOptions } from '../../src/schemes/kit/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { type VectorFetches, vectorFetch } from '../support/vector-fetch.ts'

interface Request {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

interface Sample {
  readonly scheme: string
  readonly name: string
  readonly options: Omit<SchemeOptions, 'onHandshake'> & { readonly onHandshake?: true }
  readonly now: number
  readonly request: Request
  readonly reply: { readonly status: number }
  readonly fetches?: VectorFetches
}

/**
 * How each sender sends its first request, by its SDK or its page. `itself`: signed with the key that it brings.
 */
const FIRST_REQUESTS: { readonly [scheme: string]: readonly ('signed' | 'itself' | 'unsigned')[] } = {
  asana: ['unsigned'],
  braintree: ['unsigned'],
  cloudevents: ['unsigned'],
  discord: ['signed'],
  dropbox: ['unsigned'],
  front: ['signed'],
  graph: ['unsigned'],
  intercom: ['unsigned'],
  line: ['signed'],
  mailchimp: ['unsigned'],
  mandrill: ['unsigned'],
  'mcp-events': ['signed'],
  meta: ['unsigned'],
  monday: ['unsigned'],
  notion: ['itself', 'unsigned'], // makenotion/notion-sdk-js 722, and older descriptions of it
  nylas: ['unsigned'],
  okta: ['unsigned'],
  ringcentral: ['unsigned'],
  slack: ['signed', 'unsigned'], // slackapi/bolt-js 1397
  sns: ['signed'],
  surveymonkey: ['unsigned'],
  trello: ['unsigned'],
  twitch: ['signed'],
  woocommerce: ['unsigned'],
  x: ['unsigned'],
  xero: ['signed'],
  zoom: ['signed'],
}

const samples: readonly Sample[] = JSON.parse(
  readFileSync(new URL('../vectors/schemes/handshakes.json', import.meta.url), 'utf8'),
)
const rows = await Promise.all(SCHEME_NAMES.map(async (name) => (await schemeFactory(name)).scheme))
const withHandshake = rows.filter(({ handshake }) => handshake !== undefined)

/** The status of the answer, if the request is answered as a handshake. */
async function answered({ scheme, options, now, fetches }: Sample, request: Request) {
  const { onHandshake, ...rest } = options
  const factory = await schemeFactory(scheme)
  const clock = { now: () => now * 1000 }
  const auth = factory({
    ...rest,
    ...(fetches && vectorFetch(fetches)),
    ...(onHandshake && { onHandshake: () => {} }),
  })
  const { method, url, body } = request
  const header = (name: string) => request.headers.find(([other]) => other.toLowerCase() === name)?.[1]
  const delivery = { method, url, header, body: Buffer.from(body), sourceIp: undefined }
  const verdict = await verify(
    delivery,
    defineListener({ id: scheme, auth, store: memoryStore({ clock }), clock }),
  )
  return !verdict.ok && verdict.handshake ? replyTo(verdict).status : undefined
}

/** The names of the headers and members that may sign a request of this row. */
const signatureOf = (name: string) => rows.find((row) => row.name === name)?.signature ?? { headers: [] }

function isSigned({ scheme, request }: Sample): boolean {
  const { headers, member } = signatureOf(scheme)
  const names = request.headers.map(([name]) => name.toLowerCase())
  return member === undefined
    ? headers.some((name) => names.includes(name))
    : request.body.includes(`"${member.split('/').at(-1)}"`)
}

/** The request with another character near the end of its signature. */
function wronglySigned({ scheme, request }: Sample): Request {
  const { headers, member } = signatureOf(scheme)
  if (member !== undefined) return { ...request, body: request.body.replace(/("Signature":\s*")../, '$1__') }
  const another = (text: string) => `${text.slice(0, -5)}${text.at(-5) === '0' ? '1' : '0'}${text.slice(-4)}`
  const changed = request.headers.map(([name, value]): readonly [string, string] =>
    headers.includes(name.toLowerCase()) ? [name, another(value)] : [name, value],
  )
  return { ...request, headers: changed }
}

function unsigned({ scheme, request }: Sample): Request {
  const { headers, member } = signatureOf(scheme)
  const kept = request.headers.filter(([name]) => !headers.includes(name.toLowerCase()))
  const body = member === undefined ? request.body : request.body.replace('"Signature"', '"NoSignature"')
  return { ...request, headers: kept, body }
}

it('every sender with a first request is in the table', () => {
  expect(withHandshake.map(({ name }) => name).sort()).toEqual(Object.keys(FIRST_REQUESTS).sort())
})

describe.each(Object.entries(FIRST_REQUESTS))('the first request of %s', (name, forms) => {
  const genuine = samples.filter(({ scheme, reply }) => scheme === name && reply.status < 300)

  it.each(forms)('the request is answered as it is sent: %s', async (form) => {
    const sent = genuine.filter((sample) => isSigned(sample) === (form !== 'unsigned'))
    expect(sent.length).toBeGreaterThan(0)
    for (const sample of sent) expect(await answered(sample, sample.request)).toBe(sample.reply.status)
  })

  it('the request is not answered in another way: signed wrongly, or not at all by a sender that signs', async () => {
    for (const sample of genuine.filter(isSigned)) {
      expect(await answered(sample, wronglySigned(sample))).toBeUndefined()
      const isAnswered = forms.includes('unsigned') && sample.options.secrets === undefined
      expect(await answered(sample, unsigned(sample))).toBe(isAnswered ? 200 : undefined)
    }
    if (!forms.includes('unsigned')) expect(genuine.every(isSigned)).toBe(true)
  })
})
