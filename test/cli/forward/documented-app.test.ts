import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { verifyWebhook, webhookOf } from '../../../adapters/express.ts'
import { type Authenticator, defineListener, hmac } from '../../../src/index.ts'
import { buildkite } from '../../../src/schemes/buildkite.ts'
import { calendly } from '../../../src/schemes/calendly.ts'
import { cloudinary } from '../../../src/schemes/cloudinary.ts'
import { dropbox } from '../../../src/schemes/dropbox.ts'
import { elevenlabs } from '../../../src/schemes/elevenlabs.ts'
import { gateway } from '../../../src/schemes/gateway.ts'
import { github } from '../../../src/schemes/github.ts'
import { gitlab } from '../../../src/schemes/gitlab.ts'
import { hubspot } from '../../../src/schemes/hubspot.ts'
import { klaviyo } from '../../../src/schemes/klaviyo.ts'
import { linear } from '../../../src/schemes/linear.ts'
import { livekit } from '../../../src/schemes/livekit.ts'
import { plaid } from '../../../src/schemes/plaid.ts'
import { rfc9421 } from '../../../src/schemes/rfc9421.ts'
import { sanity } from '../../../src/schemes/sanity.ts'
import { shopify } from '../../../src/schemes/shopify.ts'
import { slack } from '../../../src/schemes/slack.ts'
import { sns } from '../../../src/schemes/sns.ts'
import { square } from '../../../src/schemes/square.ts'
import { standardWebhooks } from '../../../src/schemes/standard-webhooks.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { svix } from '../../../src/schemes/svix.ts'
import { telegram } from '../../../src/schemes/telegram.ts'
import { twilio } from '../../../src/schemes/twilio.ts'
import { webflow } from '../../../src/schemes/webflow.ts'
import { zendesk } from '../../../src/schemes/zendesk.ts'
import { zoom } from '../../../src/schemes/zoom.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { signAs, signHmac } from '../../../src/testing/index.ts'
import { certificateOf } from '../../support/certificate.ts'
import { compactToken, newKey } from '../../support/keys.ts'
import { snsMessage } from '../../support/sns-sender.ts'
import { SECRET } from '../support.ts'
import { APP_SECRET, openGateway } from './gateway.ts'

const OWN = 'a-secret-of-the-sender-0123456789'
const WHSEC = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const URL = 'https://receiver.example/hooks'
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

interface Seen {
  /** `Webhook-Id`, which the app claims. */
  readonly key: string
  /** `Hookgate-Event-Id`. */
  readonly id: string | undefined
  readonly type: string | undefined
  readonly payload: unknown
}

/** An app on Express that knows nothing but the forward secret. Its handler answers with these statuses, then 200. */
async function startDocumentedApp(statuses: number[] = [], auth: Authenticator = ownAuth()) {
  const listener = defineListener({ id: 'gateway', auth, store: memoryStore() })
  const seen: Seen[] = []
  const app = express().post('/', verifyWebhook(listener), (request, response) => {
    const event = webhookOf(request, listener)
    const { 'hookgate-event-id': id, 'content-type': type } = request.headers
    seen.push({ key: event.id, id: `${id}`, type, payload: event.payload })
    response.sendStatus(statuses.shift() ?? 200)
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen } // only a pipe's is a string
}

const ownAuth = () => gateway({ secrets: APP_SECRET })

interface Attempt {
  readonly headers: { readonly [name: string]: string }
  readonly body: string | Uint8Array<ArrayBuffer>
}

interface Sender {
  readonly auth: Authenticator
  /** Signs an attempt of the same event, so many seconds after the first. */
  readonly attempt: (later: number) => Promise<Attempt>
  /** Its own ID. */
  readonly id: unknown
}

type Factory = Parameters<typeof signAs>[0]
const now = Math.floor(Date.now() / 1000)

function signed(
  scheme: Factory,
  auth: Authenticator,
  id: unknown,
  given: Partial<Parameters<typeof signAs>[1]> & { readonly isTimed?: true } = {},
): Sender {
  const { isTimed, ...options } = given
  const body = options.body ?? JSON.stringify({ id: 'evt_1', type: 'x', n: 1 })
  return {
    auth,
    id,
    attempt: (later) =>
      signAs(scheme, { secret: OWN, ...options, body, ...(isTimed && { timestamp: now + later }) }),
  }
}

const KEY = newKey('RS256')
const MESSAGE = { MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b' }
const message = JSON.stringify(snsMessage(KEY, Date.now(), MESSAGE))
const certificates = async () => new Response(certificateOf(KEY.publicKey))
const GUID = '72d3162e-cc78-11e3-81ab-4c9367dc0958'
const ANY_UUID_V8 = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8/)

const SENDERS: { readonly [name: string]: Sender } = {
  Stripe: signed(stripe, stripe({ secrets: OWN }), 'evt_1', { isTimed: true }),
  GitHub: signed(github, github({ secrets: OWN }), GUID, { eventId: GUID, eventType: 'push' }),
  Slack: signed(slack, slack({ secrets: OWN }), 'Ev1', {
    isTimed: true,
    body: '{"type":"event_callback","event_id":"Ev1","event":{"type":"message"}}',
  }),
  Shopify: signed(shopify, shopify({ secrets: OWN }), GUID, { eventId: GUID, eventType: 'orders/create' }),
  Twilio: signed(twilio, twilio({ secrets: OWN, publicUrl: URL }), GUID, {
    publicUrl: URL,
    eventId: GUID,
    contentType: 'application/json',
  }),
  Square: signed(square, square({ secrets: OWN, publicUrl: URL }), 'sq1', {
    publicUrl: URL,
    body: JSON.stringify({ event_id: 'sq1', created_at: new Date().toISOString() }),
  }),
  Svix: signed(svix, svix({ secrets: WHSEC }), 'msg_1', { secret: WHSEC, eventId: 'msg_1', isTimed: true }),
  'Standard Webhooks': signed(standardWebhooks, standardWebhooks({ secrets: WHSEC }), 'msg_1', {
    secret: WHSEC,
    eventId: 'msg_1',
    isTimed: true,
  }),
  LiveKit: signed(livekit, livekit({ apiKey: 'API1', secrets: OWN }), 'evt_1', {
    keyId: 'API1',
    isTimed: true,
  }),
  SNS: {
    auth: sns({ topicArns: 'arn:aws:sns:us-east-1:123456789012:orders', fetch: certificates }),
    id: MESSAGE.MessageId,
    attempt: async () => ({ headers: { 'content-type': 'text/plain; charset=UTF-8' }, body: message }),
  },
  GitLab: signed(gitlab, gitlab({ secrets: OWN }), 'a key', { eventId: 'a key', eventType: 'Push Hook' }),
  Telegram: signed(telegram, telegram({ secrets: OWN }), '7', { body: '{"update_id":7}' }),
  'Zendesk, which signs the time with the body, but not the ID': signed(
    zendesk,
    zendesk({ secrets: OWN }),
    'inv1',
    { eventId: 'inv1', isTimed: true },
  ),
  Sanity: signed(sanity, sanity({ secrets: OWN }), 'k1', { eventId: 'k1', isTimed: true }),
  'Zoom, which signs the time with the body and names no event': signed(
    zoom,
    zoom({ secrets: OWN }),
    ANY_UUID_V8,
    { isTimed: true, body: '{"event":"meeting.started","event_ts":1}' },
  ),
  Calendly: signed(calendly, calendly({ secrets: OWN }), ANY_UUID_V8, { isTimed: true }),
  Webflow: signed(webflow, webflow({ secrets: OWN }), ANY_UUID_V8, { isTimed: true }),
  ElevenLabs: signed(elevenlabs, elevenlabs({ secrets: OWN }), ANY_UUID_V8, { isTimed: true }),
  Buildkite: signed(buildkite, buildkite({ secrets: OWN }), ANY_UUID_V8, { isTimed: true }),
  Cloudinary: signed(cloudinary, cloudinary({ secrets: OWN }), ANY_UUID_V8, { isTimed: true }),
  'Klaviyo, which signs when it sent the request': signed(klaviyo, klaviyo({ secrets: OWN }), ANY_UUID_V8, {
    isTimed: true,
    body: '{"data":[{"external_id":"1","topic":"event:klaviyo.sent_sms"}]}',
  }),
  'HubSpot, which signs the URL too': signed(
    hubspot,
    hubspot({ secrets: OWN, publicUrl: URL }),
    ANY_UUID_V8,
    { isTimed: true, publicUrl: URL },
  ),
  'HTTP Message Signatures': signed(
    rfc9421,
    rfc9421({ secrets: OWN, publicUrl: URL, requiredComponents: ['@target-uri'] }),
    ANY_UUID_V8,
    { isTimed: true, publicUrl: URL },
  ),
  'hookgate itself': {
    auth: hmac({ secrets: { id: 'shop', secret: SECRET } }),
    id: '7d444840-9dc0-4c1d-8d7e-1f5a8f5b2b6a',
    attempt: (later) =>
      signHmac({
        secret: SECRET,
        body: '{}',
        eventId: '7D444840-9DC0-4C1D-8D7E-1F5A8F5B2B6A',
        timestamp: now + later,
      }),
  },
}

const post = (url: string, attempt: Attempt) => fetch(url, { method: 'POST', ...attempt })

test.each(Object.keys(SENDERS))(
  'the app of docs/forward.md gets an event of %s, its retry under the same key, and no replay',
  async (name) => {
    const { auth, attempt, id } = SENDERS[name] ?? fail()
    const app = await startDocumentedApp([500])
    const gateway = await openGateway(app.url, { auth, secret: APP_SECRET })
    expect((await post(gateway.url, await attempt(0))).status, 'the first attempt').toBe(500)
    const retry = await attempt(2)
    expect((await post(gateway.url, retry)).status, 'the retry').toBe(200)
    expect([200, 409]).toContain((await post(gateway.url, retry)).status)
    expect(app.seen).toHaveLength(2)
    const [first, second] = app.seen
    expect(first?.key).toMatch(UUID_V4)
    expect(second?.key).toBe(first?.key)
    expect(first?.id).toEqual(typeof id === 'string' ? encodeIfNeeded(id) : id)
  },
)

const encodeIfNeeded = (id: string) => (id.includes(' ') ? encodeURIComponent(id) : id)

test('two senders that use the same ID do not collide in the app, nor do two listeners', async () => {
  const app = await startDocumentedApp()
  const ofSvix = signed(svix, svix({ secrets: WHSEC }), '', { secret: WHSEC, eventId: 'evt_1' })
  for (const { auth, attempt } of [SENDERS.Stripe ?? fail(), ofSvix]) {
    for (const listenerId of ['demo', 'other']) {
      const gateway = await openGateway(app.url, { auth, secret: APP_SECRET, listenerId })
      expect((await post(gateway.url, await attempt(0))).status).toBe(200)
    }
  }
  expect(new Set(app.seen.map(({ key }) => key)).size).toBe(4)
  expect(app.seen.map(({ id }) => id)).toEqual(['evt_1', 'evt_1', 'evt_1', 'evt_1'])
})

test('a gateway that restarts gives an event the key that it had', async () => {
  const app = await startDocumentedApp([500, 500])
  const { auth, attempt } = SENDERS.Stripe ?? fail()
  for (const _ of ['before', 'after']) {
    const gateway = await openGateway(app.url, { auth, secret: APP_SECRET })
    expect((await post(gateway.url, await attempt(0))).status).toBe(500)
  }
  expect(app.seen[0]?.key).toBe(app.seen[1]?.key)
})

test.each<[string, Factory, Authenticator]>([
  ['by its row', dropbox, dropbox({ secrets: OWN })],
  ['by its option', stripe, stripe({ secrets: OWN, dedupe: 'off' })],
])(
  'a sender that claims nothing, %s, has a new key each time, as its genuine bodies repeat',
  async (_, scheme, auth) => {
    const app = await startDocumentedApp()
    const gateway = await openGateway(app.url, { auth, secret: APP_SECRET })
    const { attempt } = signed(scheme, auth, undefined)
    for (const _ of [1, 2]) expect((await post(gateway.url, await attempt(0))).status).toBe(200)
    const [first, second] = app.seen
    expect([first?.key, second?.key]).toEqual([
      expect.stringMatching(UUID_V4),
      expect.not.stringMatching(first?.key ?? ''),
    ])
  },
)

test("Plaid's genuine bodies repeat, so each of its tokens is an event of its own in the app too", async () => {
  const key = newKey('ES256', 'plaid-1')
  const auth = plaid({ keys: [{ ...key.publicKey, expired_at: null }] })
  const body = '{"webhook_code":"SYNC_UPDATES_AVAILABLE","item_id":"1"}'
  const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(body))).toString('hex')
  const app = await startDocumentedApp()
  const gateway = await openGateway(app.url, { auth, secret: APP_SECRET })
  for (const later of [0, 2]) {
    const claims = { iat: now + later, request_body_sha256: hash }
    const token = compactToken({ alg: 'ES256', kid: key.keyId, typ: 'JWT' }, claims, key.sign)
    const headers = { 'content-type': 'application/json', 'plaid-verification': token }
    expect((await post(gateway.url, { headers, body })).status).toBe(200)
  }
  expect(new Set(app.seen.map(({ key }) => key)).size).toBe(2)
})

const HOUR_SECONDS = 3600

test.each<[string, Factory, Authenticator, Partial<Parameters<typeof signAs>[1]>, number]>([
  [
    "Shopify's redactions",
    shopify,
    shopify({ secrets: OWN }),
    { body: '{"shop_id":1,"shop_domain":"a.myshopify.com"}', eventType: 'shop/redact' },
    25 * HOUR_SECONDS,
  ],
  [
    'HTTP Message Signatures',
    rfc9421,
    rfc9421({ secrets: OWN, publicUrl: URL }),
    { publicUrl: URL },
    HOUR_SECONDS,
  ],
])(
  'an event of %s that comes again once the gateway has forgotten the last one reaches the app, which has not',
  async (_, scheme, auth, options, later) => {
    let nowMs = 1_803_000_000_000 // no period ends within the next minute
    const app = await startDocumentedApp([500])
    const clock = { now: () => nowMs }
    const gateway = await openGateway(app.url, { auth, clock, secret: APP_SECRET })
    const given = { secret: OWN, body: '{}', ...options }
    const attempt = async () => {
      const isTimed = scheme.scheme.timestamp !== undefined
      const timestamp = isTimed ? { timestamp: Math.floor(nowMs / 1000) } : {}
      return (await post(gateway.url, await signAs(scheme, { ...given, ...timestamp }))).status
    }
    expect(await attempt()).toBe(500)
    nowMs += 2000
    expect(await attempt(), 'the retry').toBe(200)
    nowMs += later * 1000
    expect(await attempt(), 'the next event').toBe(200)
    const [first, retry, next] = app.seen.map(({ key }) => key)
    expect(retry).toBe(first)
    expect(next).toMatch(UUID_V4)
    expect(next).not.toBe(first)
  },
)

test('an ID that HTTP Message Signatures cover names an event, although it holds the time of the attempt', async () => {
  const app = await startDocumentedApp()
  const auth = rfc9421({ secrets: OWN, publicUrl: URL, requiredComponents: ['x-event-id'] })
  const gateway = await openGateway(app.url, { auth, secret: APP_SECRET })
  const body = '{"type":"x"}'
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
  for (const created of [now, now + 1]) {
    const id = `evt-${created}`
    const input = `("x-event-id" "content-digest");created=${created}`
    const base = `"x-event-id": ${id}\n"content-digest": ${digest}\n"@signature-params": ${input}`
    const headers = {
      'content-type': 'application/json',
      'content-digest': digest,
      'x-event-id': id,
      'signature-input': `s=${input}`,
      signature: `s=:${createHmac('sha256', OWN).update(base).digest('base64')}:`,
    }
    expect((await post(gateway.url, { headers, body })).status).toBe(200)
  }
  expect(new Set(app.seen.map(({ key }) => key)).size).toBe(2)
})

test("Linear's body has the time of the attempt, and its ID stands for the event", async () => {
  const app = await startDocumentedApp([500])
  const gateway = await openGateway(app.url, { auth: linear({ secrets: OWN }), secret: APP_SECRET })
  for (const [later, status] of [
    [0, 500],
    [1, 200],
  ] as const) {
    const body = JSON.stringify({ type: 'Issue', webhookTimestamp: Date.now() + later })
    const { headers } = await signAs(linear, { secret: OWN, body, eventId: GUID })
    expect((await post(gateway.url, { headers, body })).status).toBe(status)
  }
  expect(app.seen[0]?.key).toBe(app.seen[1]?.key)
})

test('an event that the app has done, but whose answer was lost, is a duplicate for the sender too', async () => {
  const { auth, attempt } = SENDERS.Stripe ?? fail()
  const app = await startDocumentedApp()
  const first = await openGateway(app.url, { auth, secret: APP_SECRET })
  expect((await post(first.url, await attempt(0))).status).toBe(200)
  const forgetful = await openGateway(app.url, { auth, secret: APP_SECRET })
  const answer = await post(forgetful.url, await attempt(1))
  expect([answer.status, await answer.text()]).toEqual([200, ''])
  expect((await post(forgetful.url, await attempt(2))).status).toBe(200)
  expect(app.seen).toHaveLength(1)
})

test.each([
  ['application/cloudevents+json', 'application/json'],
  ['application/json; charset=utf-8', 'application/json; charset=utf-8'],
])('JSON that the sender calls %s has a type that hmac() takes', async (given, taken) => {
  const app = await startDocumentedApp()
  const gateway = await openGateway(app.url, { auth: stripe({ secrets: OWN }), secret: APP_SECRET })
  const { headers, body } = await signAs(stripe, { secret: OWN, body: '{"id":"evt_1"}' })
  const sent = { headers: { ...headers, 'content-type': given }, body }
  expect((await post(gateway.url, sent)).status).toBe(200)
  expect(app.seen[0]).toMatchObject({ type: taken, payload: { id: 'evt_1' } })
})

function fail(): never {
  throw new Error('there is no such sender')
}
