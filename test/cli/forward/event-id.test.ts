import { expect, test } from 'vitest'
import type { AnyScheme } from '../../../cli/signing/schemes.ts'
import { dropbox } from '../../../src/schemes/dropbox.ts'
import { github } from '../../../src/schemes/github.ts'
import { gitlab } from '../../../src/schemes/gitlab.ts'
import { shopify } from '../../../src/schemes/shopify.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { signAs } from '../../../src/testing/index.ts'
import { fakeClock } from '../../support/clock.ts'
import { startApp } from './app.ts'
import { APP_SECRET, openGateway } from './gateway.ts'

const SECRET = 'a-secret-of-the-sender-0123456789'

/** What the app gets as `Webhook-Event-Id` for each of these deliveries, and the IDs that `listen` shows. */
async function idsOf(
  scheme: AnyScheme,
  deliveries: readonly { readonly body: string; readonly eventId?: string }[],
  options: { readonly dedupe?: 'off' } = {},
) {
  const app = await startApp()
  const gateway = await openGateway(app.url, { auth: scheme({ secrets: SECRET, ...options }) })
  for (const delivery of deliveries) {
    const signed = await signAs(scheme, { secret: SECRET, eventType: 'push', ...delivery })
    expect((await fetch(gateway.url, signed)).status).toBe(200)
  }
  return {
    given: app.received.map(({ request }) => request.headers['webhook-event-id']),
    shown: gateway.reports.map(({ line }) => line.eventId),
  }
}

const UUID_V8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test("the app gets the sender's own ID where the sender signs it", async () => {
  const { given } = await idsOf(stripe, [{ body: '{"id":"evt_1"}' }])
  expect(given).toEqual(['evt_1'])
})

test("an edited body does not reuse another event's ID: GitHub signs none", async () => {
  const eventId = '72d3162e-cc78-11e3-81ab-4c9367dc0958'
  const { given, shown } = await idsOf(github, [
    { body: '{"n":1}', eventId },
    { body: '{"n":2}', eventId },
  ])
  expect(shown).toEqual([eventId, eventId])
  expect(given).toEqual([expect.stringMatching(UUID_V8), expect.stringMatching(UUID_V8)])
  expect(given[0]).not.toBe(given[1])
})

test('a redirect of the app, which is reported as an error, leaves the event type and the mark in the line', async () => {
  const app = await startApp((response) => void response.writeHead(302).end())
  const gateway = await openGateway(app.url, { auth: github({ secrets: SECRET }) })
  const signed = await signAs(github, { secret: SECRET, body: '{}', eventType: 'push', eventId: 'one' })
  expect((await fetch(gateway.url, { ...signed, redirect: 'manual' })).status).toBe(302)
  await expect
    .poll(() => gateway.reports.map(({ line }) => line))
    .toMatchObject([{ status: 302, eventId: 'one', eventType: 'push', unsigned: ['id', 'type'] }])
})

test('a token signs nothing, so the body stands for the ID, for every attempt alike', async () => {
  const first = await idsOf(gitlab, [{ body: '{"n":1}', eventId: 'one' }])
  const edited = await idsOf(gitlab, [{ body: '{"n":2}', eventId: 'one' }])
  const other = await idsOf(gitlab, [{ body: '{"n":1}', eventId: 'two' }])
  expect(first.given).toEqual(other.given)
  expect(first.given).not.toEqual(edited.given)
})

test.each([
  ['by its row', dropbox, {}],
  ['by its option, although its ID is signed', stripe, { dedupe: 'off' }],
] as const)('a sender that claims nothing, %s, has the digest of the body', async (_, scheme, options) => {
  const first = await idsOf(scheme, [{ body: '{"id":"evt_1"}' }, { body: '{"id":"evt_1"}' }], options)
  const edited = await idsOf(scheme, [{ body: '{"id":"evt_1","n":2}' }], options)
  expect(first.given).toEqual([expect.stringMatching(UUID_V8), first.given[0]])
  expect(edited.given).not.toEqual([first.given[0]])
})

test.each([undefined, APP_SECRET])(
  'a redaction that comes again is another event for the app, and its retry is the same: forward secret %s',
  async (secret) => {
    let isDown = true
    const app = await startApp((response) => void response.writeHead(isDown ? 500 : 200).end())
    const clock = fakeClock()
    const gateway = await openGateway(app.url, { auth: shopify({ secrets: SECRET }), secret, clock })
    const send = async (body: string, eventType: string) =>
      (await fetch(gateway.url, await signAs(shopify, { secret: SECRET, body, eventType }))).status
    const redact = () => send('{"shop_id":1,"shop_domain":"a.myshopify.com"}', 'shop/redact')
    expect(await redact()).toBe(500)
    isDown = false
    expect(await redact()).toBe(200)
    expect(await redact()).toBe(200) // a duplicate
    clock.advance(48 * 3_600_000)
    expect(await redact()).toBe(200)
    const name = secret === undefined ? 'webhook-event-id' : 'webhook-id'
    const [first, retried, next, ...others] = app.received.map(({ request }) => request.headers[name])
    expect(first).toBeDefined()
    expect([retried, others]).toEqual([first, []])
    expect(next).not.toBe(first)
  },
)
