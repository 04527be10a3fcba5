import { createHmac } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test } from 'vitest'
import { readForwarding, senderHeaders } from '../../../cli/forward/forward-options.ts'
import { type Authenticator, hmac } from '../../../src/index.ts'
import { deepgram } from '../../../src/schemes/deepgram.ts'
import { gateway } from '../../../src/schemes/gateway.ts'
import { github } from '../../../src/schemes/github.ts'
import { standardWebhooks } from '../../../src/schemes/standard-webhooks.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { svix } from '../../../src/schemes/svix.ts'
import { twilio } from '../../../src/schemes/twilio.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { signAs } from '../../../src/testing/index.ts'
import { findPython } from '../../oracle/oracle.ts'
import { askReader } from '../../oracle/reader.ts'
import { fakeClock } from '../../support/clock.ts'
import { SCHEME_NAMES, schemeFactory } from '../../support/schemes.ts'
import { temporaryFile } from '../support.ts'
import { closedPort, type Received, startApp } from './app.ts'
import { APP_SECRET, openGateway, PLAIN_SECRET } from './gateway.ts'

const OWN = 'a-secret-of-the-sender-0123456789'
const WHSEC = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const OTHER_SECRET = `whsec_${Buffer.from('another-app-0123456789-abcdefghijklmnop').toString('base64')}`
const URL_ = 'https://receiver.example/hooks'
const BODY = '{"id":"evt_1", "type":"invoice.paid", "text":"ä 😀"}'
const OWN_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

interface Attempt {
  readonly headers: { readonly [name: string]: string }
  readonly body: string | Uint8Array<ArrayBuffer>
}

const post = (url: string, attempt: Attempt) => fetch(url, { method: 'POST', ...attempt })
const byStripe = () => signAs(stripe, { secret: OWN, body: BODY })

/** The headers of an app's request as libraries take them. */
const headersOf = ({ request }: Received): Record<string, string> =>
  Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, `${value}`]))

function only(received: readonly Received[]): Received {
  expect(received).toHaveLength(1)
  return received[0] ?? fail()
}

type Sender = readonly [sender: string, auth: Authenticator, attempt: () => Promise<Attempt>]

const SENDERS: readonly Sender[] = [
  ['Stripe', stripe({ secrets: OWN }), byStripe],
  [
    'Standard Webhooks, which uses the same names of headers',
    standardWebhooks({ secrets: WHSEC }),
    () => signAs(standardWebhooks, { secret: WHSEC, body: BODY, eventId: 'msg_1' }),
  ],
  [
    "Svix, whose libraries prefer the sender's names",
    svix({ secrets: WHSEC }),
    () => signAs(svix, { secret: WHSEC, body: BODY, eventId: 'msg_1' }),
  ],
]

test.each(SENDERS)(
  'the libraries standardwebhooks and svix verify an event of %s',
  async (_, auth, attempt) => {
    const app = await startApp()
    const { url } = await openGateway(app.url, { auth, secret: APP_SECRET })
    expect((await post(url, await attempt())).status).toBe(200)
    const received = only(app.received)
    const [headers, text] = [headersOf(received), `${received.body}`]
    for (const Webhook of [StandardWebhook, SvixWebhook]) {
      expect(new Webhook(APP_SECRET).verify(text, headers)).toEqual(JSON.parse(BODY))
      expect(() => new Webhook(OTHER_SECRET).verify(text, headers)).toThrow('No matching signature')
      expect(() => new Webhook(APP_SECRET).verify(`${text} `, headers)).toThrow('No matching signature')
      const renamed = { ...headers, 'webhook-id': `${headers['webhook-id']}0` }
      expect(() => new Webhook(APP_SECRET).verify(text, renamed)).toThrow('No matching signature')
    }
  },
)

test('a form verifies too, in a library that is told not to parse JSON', async () => {
  const app = await startApp()
  const auth = twilio({ secrets: OWN, publicUrl: URL_ })
  const { url } = await openGateway(app.url, { auth, secret: APP_SECRET })
  const body = 'AccountSid=AC1&Body=Hi'
  expect((await post(url, await signAs(twilio, { secret: OWN, publicUrl: URL_, body }))).status).toBe(200)
  const received = only(app.received)
  const verify = (secret: string) =>
    new StandardWebhook(secret).verify(`${received.body}`, headersOf(received), { jsonParse: false })
  expect(() => verify(APP_SECRET)).not.toThrow()
  expect(() => verify(OTHER_SECRET)).toThrow('No matching signature')
})

const NO_PYTHON = findPython() ? '' : ' (skipped: no Python with cryptography here)'

test.skipIf(NO_PYTHON)(
  `our reader in Python verifies JSON, forms and text by its row${NO_PYTHON}`,
  async () => {
    const app = await startApp()
    const ofTwilio = await openGateway(app.url, {
      auth: twilio({ secrets: OWN, publicUrl: URL_ }),
      secret: APP_SECRET,
    })
    const ofAny = await openGateway(app.url, {
      auth: deepgram({ secrets: `user:${OWN}` }),
      secret: APP_SECRET,
    })
    const form = 'AccountSid=AC1&Body=Hi&type=message'
    const authorization = `Basic ${Buffer.from(`user:${OWN}`).toString('base64')}`
    await post(ofTwilio.url, await signAs(twilio, { secret: OWN, publicUrl: URL_, body: form }))
    for (const [body, type] of [
      [BODY, 'application/json'],
      ['two lines\nof text', 'text/plain'],
    ] as const)
      await post(ofAny.url, { headers: { authorization, 'content-type': type }, body })
    const asked = app.received.flatMap((received) => {
      const headers = Object.entries(headersOf(received))
      const now = Math.floor(Date.now() / 1000)
      const request = { scheme: 'gateway', now, method: 'POST', headers, body: received.body }
      return [
        { ...request, options: { secrets: APP_SECRET } },
        { ...request, options: { secrets: OTHER_SECRET } },
      ]
    })
    const ids = app.received.map(({ request }) => request.headers['webhook-id'])
    const accepted = (at: number, type: string) => ({ id: ids[at], keys: [ids[at]], type })
    const refused = { reason: 'signature_mismatch' }
    expect(askReader(asked)).toMatchObject([
      accepted(0, 'message'),
      refused,
      accepted(1, 'invoice.paid'),
      refused,
      accepted(2, ''),
      refused,
    ])
  },
)

test("Webhook-Id is byte for byte what hookgate's own format signs as Webhook-Event-Id", async () => {
  const app = await startApp()
  for (const options of [{ secret: APP_SECRET }, { secret: PLAIN_SECRET, format: 'hookgate' as const }]) {
    const { url } = await openGateway(app.url, { auth: stripe({ secrets: OWN }), ...options })
    expect((await post(url, await byStripe())).status).toBe(200)
  }
  const [standard = fail(), own = fail()] = app.received.map(headersOf)
  expect(standard['webhook-id']).toMatch(/^[0-9a-f-]{36}$/)
  expect(standard['webhook-id']).toBe(own['webhook-event-id'])
  expect(standard['webhook-event-id']).toBeUndefined() // nobody would sign it
  expect(own['webhook-id']).toBeUndefined()
})

test("an app with hmac() takes what the format 'hookgate' signs", async () => {
  const app = await startApp()
  const auth = stripe({ secrets: OWN })
  const { url } = await openGateway(app.url, { auth, secret: PLAIN_SECRET, format: 'hookgate' })
  expect((await post(url, await byStripe())).status).toBe(200)
  const received = only(app.received)
  const behind = await openGateway(app.url, { auth: hmac({ secrets: PLAIN_SECRET }) })
  const wrong = await openGateway(app.url, { auth: hmac({ secrets: `${PLAIN_SECRET}z` }) })
  const headers = {
    'content-type': 'application/json',
    ...Object.fromEntries(
      ['webhook-event-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
        name,
        headersOf(received)[name] ?? fail(),
      ]),
    ),
  }
  expect((await post(wrong.url, { headers, body: BODY })).status).toBe(401)
  expect((await post(behind.url, { headers, body: BODY })).status).toBe(200)
})

describe('the three headers are those of the gateway', () => {
  const forwarding = { passesSenderHeaders: true, format: 'standard-webhooks' } as const

  test('with a secret, no row passes one on, and without a secret each row passes its own', async () => {
    let senders = 0
    for (const name of SCHEME_NAMES) {
      const { scheme } = await schemeFactory(name)
      const signed = senderHeaders({ ...forwarding, secret: APP_SECRET }, scheme)
      expect(signed.filter((each) => /^(?:webhook|svix)-(?:id|timestamp|signature)$/.test(each))).toEqual([])
      const plain = senderHeaders({ ...forwarding, secret: undefined }, scheme)
      if (plain.some((each) => OWN_HEADERS.includes(each))) senders += 1
    }
    expect(senders).toBeGreaterThan(20)
  })

  test.each(SENDERS)(
    'with a secret, an event of %s has each of them once, with our values',
    async (_, auth, attempt) => {
      const app = await startApp()
      const { url } = await openGateway(app.url, { auth, secret: APP_SECRET })
      const sent = await attempt()
      await post(url, sent)
      const { request } = only(app.received)
      for (const name of OWN_HEADERS) {
        expect(request.headersDistinct[name]).toHaveLength(1)
        if (name !== 'webhook-timestamp') expect(request.headers[name]).not.toBe(sent.headers[name])
      }
      expect(Object.keys(request.headers).filter((name) => name.startsWith('svix-'))).toEqual([])
    },
  )

  test('without a secret, none of ours is set', async () => {
    const app = await startApp()
    for (const [, auth, attempt] of SENDERS.slice(0, 2)) {
      const { url } = await openGateway(app.url, { auth })
      await post(url, await attempt())
    }
    const [ofStripe = fail(), ofStandard = fail()] = app.received.map(headersOf)
    expect(OWN_HEADERS.map((name) => ofStripe[name])).toEqual([undefined, undefined, undefined])
    expect(ofStandard['webhook-id']).toBe('msg_1')
    expect(() => new StandardWebhook(WHSEC).verify(`${app.received[1]?.body}`, ofStandard)).not.toThrow()
  })

  test.each([...OWN_HEADERS, 'Svix-Id'])('--pass-header %s is refused with a secret', async (name) => {
    const file = await temporaryFile('forward.txt', APP_SECRET)
    const given = { 'forward-to': '3000', 'pass-header': [name] }
    await expect(readForwarding({ ...given, 'forward-secret-file': file })).rejects.toThrow(
      `--pass-header ${name}: `,
    )
    expect((await readForwarding(given))?.passed).toEqual([name.toLowerCase()])
  })
})

describe('the forward secret', () => {
  const whsec = (bytes: number) => `whsec_${Buffer.alloc(bytes, 'x7-').toString('base64')}`
  const read = async (secret: string, format?: string) =>
    readForwarding({
      'forward-to': '3000',
      'forward-secret-file': await temporaryFile('forward.txt', secret),
      ...(format !== undefined && { 'forward-format': format }),
    })

  test.each([
    ['24 bytes', whsec(24)],
    ['64 bytes', whsec(64)],
    ['a line break at the end of the file', `${whsec(32)}\n`],
  ])('of %s signs Standard Webhooks', async (_, secret) => {
    expect(await read(secret)).toMatchObject({ secret: secret.trim(), format: 'standard-webhooks' })
  })

  test.each([
    ['23 bytes', whsec(23)],
    ['65 bytes', whsec(65)],
    ['base64 without its padding', whsec(25).replace(/=+$/, '')],
    ['base64url', `whsec_${Buffer.alloc(33, 0xfb).toString('base64url')}`],
    ['base64 with stray bits', `${whsec(25).slice(0, -3)}h==`],
    ['base64 without whsec_', whsec(32).slice('whsec_'.length)],
    ['a version in front', `v1,${whsec(32)}`],
    ['whsec_ in capitals', whsec(32).replace('whsec_', 'WHSEC_')],
    ['a space in front', ` ${whsec(32)}`],
    ['any other text', PLAIN_SECRET],
  ])('of %s signs nothing, and the error names the other format', async (_, secret) => {
    const error = await read(secret).catch((thrown: Error) => thrown.message)
    expect(error).toMatch(/^--forward-secret-file .*--forward-format hookgate/)
    expect(error).not.toContain(secret.trim().replace('whsec_', '').slice(0, 12))
    if (secret === secret.trim())
      expect(await read(secret, 'hookgate')).toMatchObject({ secret, format: 'hookgate' })
  })

  test.each(['Standard-Webhooks', 'svix', ''])('--forward-format %j is refused', async (format) => {
    await expect(read(APP_SECRET, format)).rejects.toThrow(
      '--forward-format takes standard-webhooks or hookgate',
    )
  })

  test('a format without a secret is refused', async () => {
    await expect(readForwarding({ 'forward-to': '3000', 'forward-format': 'hookgate' })).rejects.toThrow(
      '--forward-format needs --forward-secret-file FILE',
    )
  })
})

test('an app that is down costs no event: the retry, signed anew under the same ID, arrives', async () => {
  const port = await closedPort()
  const clock = fakeClock()
  const { url } = await openGateway(`http://127.0.0.1:${port}/`, {
    auth: github({ secrets: OWN }),
    secret: APP_SECRET,
    clock,
  })
  const sent = await signAs(github, { secret: OWN, body: BODY, eventType: 'push', eventId: 'one' })
  const down = await post(url, sent)
  expect([down.status, down.headers.get('retry-after')]).toEqual([503, '5'])
  const app = await startApp(
    (response) => void response.writeHead(app.received.length > 1 ? 200 : 500).end(),
    port,
  )
  expect((await post(url, sent)).status).toBe(500)
  clock.advance(3_600_000) // the redelivery by hand that GitHub allows for days
  expect((await post(url, sent)).status).toBe(200)
  const [first = fail(), second = fail()] = app.received
  expect(headersOf(second)['webhook-id']).toBe(headersOf(first)['webhook-id'])
  for (const each of [first, second])
    expect(() => new StandardWebhook(APP_SECRET).verify(`${each.body}`, headersOf(each))).not.toThrow()
})

test('two gateways on one store forward an event once, whichever of them its attempts reach', async () => {
  const app = await startApp()
  const shared = {
    auth: stripe({ secrets: OWN }),
    secret: APP_SECRET,
    store: memoryStore({ maxRecords: 100 }),
  }
  const [one, two] = [await openGateway(app.url, shared), await openGateway(app.url, shared)]
  const sent = await byStripe()
  const racing = await Promise.all([one, two, one, two].map(({ url }) => post(url, sent)))
  expect(racing.map(({ status }) => status).filter((status) => status !== 503)).toContain(200)
  expect((await post(two.url, sent)).status).toBe(200)
  expect(app.received).toHaveLength(1)
})

test('25 MB reach the app, which verifies them, and a byte more is refused before it', async () => {
  const app = await startApp()
  const behind = await openGateway(app.url, { auth: gateway({ secrets: APP_SECRET }) })
  const { url } = await openGateway(behind.url, { auth: github({ secrets: OWN }), secret: APP_SECRET })
  const largest = 26_214_400
  for (const [length, status] of [
    [largest, 200],
    [largest + 1, 400],
  ] as const) {
    const body = new Uint8Array(Buffer.alloc(length, ' ').fill('{}', 0, 2))
    const mac = `sha256=${createHmac('sha256', OWN).update(body).digest('hex')}`
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-hub-signature-256': mac,
    }
    expect((await post(url, { headers, body })).status).toBe(status)
  }
  expect(only(app.received).body).toHaveLength(largest)
})

function fail(): never {
  throw new Error('it is missing')
}
