import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { explain } from '../../src/explain/index.ts'
import { defineListener, verify } from '../../src/index.ts'
import { shopify } from '../../src/schemes/shopify.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs } from '../../src/testing/index.ts'
import { fakeClock } from '../support/clock.ts'
import { DUPLICATE, MISMATCH, type Received, schemeReceiver } from '../support/scheme-receiver.ts'
import { spyStore } from '../support/spy-store.ts'

const SECRET = 'a secret of this test'
const EVENT =
  '{"topic":"Product","action":"update","handle":"prices","fields_changed":{"added":[],"updated":["product.title"],"removed":[]},"query_variables":{"productId":"gid://shopify/Product/1"}}'
const macOf = (body: string) => createHmac('sha256', SECRET).update(body).digest('base64')

/** As Shopify sends Events. */
const events = (body = EVENT) => ({
  'content-type': 'application/json',
  'shopify-hmac-sha256': macOf(body),
  'shopify-topic': 'Product',
  'shopify-shop-domain': 'a-shop.myshopify.com',
  'shopify-api-version': 'unstable',
  'shopify-webhook-id': 'wh_1',
  'shopify-action': 'update',
})
/** As Shopify sends webhooks. */
const webhooks = (body = EVENT, topic = 'products/update') => ({
  'content-type': 'application/json',
  'x-shopify-hmac-sha256': macOf(body),
  'x-shopify-topic': topic,
  'x-shopify-shop-domain': 'a-shop.myshopify.com',
  'x-shopify-webhook-id': 'b1',
  'x-shopify-event-id': 'e1',
})

function receiver(options: Partial<Parameters<typeof shopify>[0]> = {}) {
  const made = schemeReceiver(shopify({ secrets: SECRET, ...options }))
  const send = (headers: Received['headers'], body = EVENT) => made.receive({ headers, body })
  /** Delivers and handles the event. Returns whether a handler ran. */
  const runs = async (headers: Received['headers'], body = EVENT) => {
    const verdict = await send(headers, body)
    if (verdict.ok) await verdict.event.commit()
    return verdict.ok
  }
  return { ...made, send, runs }
}

describe("Shopify's Events", () => {
  it('an Events delivery is accepted, with its topic as the type and the ID of its webhook', async () => {
    const verdict = await receiver().send(events())
    expect(verdict).toMatchObject({
      ok: true,
      event: { id: 'wh_1', type: 'Product', unsigned: ['id', 'type'], payload: { action: 'update' } },
    })
  })

  it('an Events delivery needs none of the headers that nobody signs', async () => {
    const bare = { 'shopify-hmac-sha256': macOf(EVENT) }
    expect(await receiver().send(bare)).toMatchObject({ ok: true })
  })

  it('an Events delivery runs once, whatever its unsigned topic and ID say', async () => {
    const { runs, send } = receiver()
    expect(await runs(events())).toBe(true)
    expect(await send(events())).toMatchObject(DUPLICATE)
    expect(await send({ ...events(), 'shopify-webhook-id': 'wh_2' })).toMatchObject(DUPLICATE)
    expect(await send({ ...events(), 'shopify-topic': 'Order' })).toMatchObject(DUPLICATE)
  })

  it('a captured delivery gains no further run by the other family of headers', async () => {
    const { runs } = receiver()
    const body = '{"id":1}'
    expect(await runs(webhooks(body), body)).toBe(true)
    const ran: boolean[] = []
    for (const topic of ['products/update', 'invented', 'Product', 'another'])
      ran.push(await runs({ ...events(body), 'shopify-topic': topic }, body))
    expect(ran).toEqual([false, true, false, false]) // one run under all invented topics together, as with webhooks
    expect(await runs(webhooks(body, 'invented'), body)).toBe(false)
  })

  it.each([
    ['both signatures', { ...webhooks(), ...events() }],
    ['both signatures, one of them wrong', { ...webhooks('{}'), ...events() }],
    ['the topic of Events', { ...webhooks(), 'shopify-topic': 'Product' }],
    ['the ID of Events', { ...webhooks(), 'shopify-webhook-id': 'wh_1' }],
    ['the topic of webhooks', { ...events(), 'x-shopify-topic': 'shop/redact' }],
    ['the event ID of webhooks', { ...events(), 'x-shopify-event-id': 'e1' }],
    ['the webhook ID of webhooks', { ...events(), 'x-shopify-webhook-id': 'b1' }],
    ['the topic of Events twice', { ...webhooks(), 'shopify-topic': ['Product', 'Order'] }],
  ])('a mixture of both families is refused: %s', async (_, headers) => {
    expect(await receiver().send(headers)).toMatchObject(MISMATCH)
  })

  it('an empty header of the other family counts as absent', async () => {
    expect(await receiver().send({ ...webhooks(), 'shopify-topic': '' })).toMatchObject({ ok: true })
    expect(await receiver().send({ ...events(), 'x-shopify-topic': [] })).toMatchObject({ ok: true })
  })

  it.each([
    ['no signature', { ...events(), 'shopify-hmac-sha256': undefined }, 'auth_missing', 401],
    ['another signature', { ...events(), 'shopify-hmac-sha256': macOf('{}') }, 'signature_mismatch', 401],
    [
      'two signatures',
      { ...events(), 'shopify-hmac-sha256': [macOf(EVENT), macOf('')] },
      'signature_mismatch',
      401,
    ],
    ['two IDs', { ...events(), 'shopify-webhook-id': ['wh_1', 'wh_2'] }, 'header_repeated', 400],
    ['form', { ...events(), 'content-type': 'text/plain' }, 'content_type_not_accepted', 400],
  ])('an Events delivery is refused as a webhook is: %s', async (_, headers, reason, status) => {
    expect(await receiver().send(headers)).toMatchObject({ ok: false, reason, status })
  })

  it('an ID of Events joins the topic when it is claimed', async () => {
    const { runs } = receiver({ dedupe: 'id', topics: ['Product'] })
    expect([await runs(events()), await runs(events())]).toEqual([true, false])
    expect(await runs({ ...events(), 'shopify-webhook-id': 'wh_2' })).toBe(true)
  })

  it('the explanation names the headers of Events', async () => {
    const clock = fakeClock()
    const listener = defineListener({
      id: 'a',
      auth: shopify({ secrets: SECRET }),
      store: memoryStore(),
      clock,
    })
    const likely = async (headers: Received['headers'], body = EVENT) => {
      const delivery = {
        method: 'POST',
        header: (name: string) => headers[name],
        body: Buffer.from(body),
        sourceIp: undefined,
      }
      return (await explain(delivery, await verify(delivery, listener), listener)).likely
    }
    expect((await likely({ ...events(), 'shopify-hmac-sha256': undefined }))[0]).toMatch(
      /^No Shopify-Hmac-Sha256 header/,
    )
    expect((await likely(events(), `${EVENT}\n`))[0]).toMatch(/^the body ends with a line break/)
    expect((await likely({ ...webhooks(), ...events() }))[0]).toMatch(
      /^the request has headers of two families, like X-Shopify-Hmac-Sha256 and Shopify-Hmac-Sha256: Shopify/,
    )
  })

  it('a delivery that hookgate signs as Shopify is a webhook', async () => {
    const { headers } = await signAs(shopify, { secret: SECRET, body: EVENT, eventType: 'products/update' })
    expect(Object.keys(headers)).toContain('x-shopify-hmac-sha256')
    expect(await receiver().send(headers)).toMatchObject({ ok: true, event: { type: 'products/update' } })
  })
})

const HOUR_MS = 3_600_000
const SHOP = '{"shop_id":954889,"shop_domain":"a-shop.myshopify.com"}'
const CUSTOMER =
  '{"shop_id":954889,"shop_domain":"a-shop.myshopify.com","customer":{"id":191167,"email":"john@example.com","phone":"555-625-1199"},"orders_to_redact":[299938,280263]}'
const NO_ORDERS = CUSTOMER.replace('[299938,280263]', '[]')
const BY_EMAIL = CUSTOMER.replace('"id":191167,', '')
const DATA_REQUEST =
  '{"shop_id":954889,"shop_domain":"a-shop.myshopify.com","orders_requested":[299938],"customer":{"id":191167,"email":"john@example.com","phone":"555-625-1199"},"data_request":{"id":9999}}'

describe('a request to delete data, whose body is the same each time', () => {
  const REDACTIONS = [
    ['shop/redact', SHOP],
    ['customers/redact', CUSTOMER],
    ['customers/redact', NO_ORDERS],
    ['customers/redact', BY_EMAIL],
  ] as const

  it.each(REDACTIONS)('%s runs again after 24 hours, and is a duplicate before: %s', async (topic, body) => {
    const { clock, runs, send } = receiver()
    expect(await runs(webhooks(body, topic), body)).toBe(true)
    clock.advance(24 * HOUR_MS)
    expect(await send(webhooks(body, topic), body)).toMatchObject(DUPLICATE)
    clock.advance(1)
    expect(await runs(webhooks(body, topic), body)).toBe(true)
    expect(await send(webhooks(body, topic), body)).toMatchObject(DUPLICATE)
  })

  it.each([
    ['a redaction under another topic', SHOP, 'orders/create'],
    ['a redaction under an invented topic', SHOP, 'invented/topic'],
    ['a redaction without a topic', SHOP, ''],
    ["a shop's redaction as a customer's", SHOP, 'customers/redact'],
    ["a customer's redaction as a shop's", CUSTOMER, 'shop/redact'],
    ['an order as a redaction', '{"id":1,"shop_id":954889,"shop_domain":"a"}', 'shop/redact'],
    ["a request for a customer's data as a redaction", DATA_REQUEST, 'customers/redact'],
    ["a request for a customer's data", DATA_REQUEST, 'customers/data_request'],
    ['the ID of the shop as text', '{"shop_id":"954889","shop_domain":"a"}', 'shop/redact'],
    ['a domain that is no text', '{"shop_id":1,"shop_domain":["a"]}', 'shop/redact'],
    ['no customer', CUSTOMER.replace(/"customer":\{.*?\}/, '"customer":null'), 'customers/redact'],
    ['orders that are no list', NO_ORDERS.replace('[]', '{}'), 'customers/redact'],
    ['a list', `[${SHOP}]`, 'shop/redact'],
    ['a text', '"shop_domain shop_id"', 'shop/redact'],
    ['another spelling of the topic', SHOP, 'Shop/redact'],
  ])('everything else is remembered as before: %s', async (_, body, topic) => {
    const { clock, runs, send } = receiver()
    expect(await runs(webhooks(body, topic), body)).toBe(true)
    clock.advance(30 * 24 * HOUR_MS)
    expect(await send(webhooks(body, topic), body)).toMatchObject(DUPLICATE)
    clock.advance(1)
    expect(await runs(webhooks(body, topic), body)).toBe(true)
  })

  it('a captured redaction runs once more under all other topics together, as any delivery does, and never sooner', async () => {
    const { clock, runs } = receiver()
    expect(await runs(webhooks(SHOP, 'shop/redact'), SHOP)).toBe(true)
    for (const days of [0, 2, 2]) {
      clock.advance(days * 24 * HOUR_MS)
      const ran: boolean[] = []
      for (const topic of ['orders/create', 'invented', 'also invented'])
        ran.push(await runs(webhooks(SHOP, topic), SHOP))
      expect(ran).toEqual([days === 0, days === 0, false])
    }
  })

  it('a captured redaction is the same event with the headers of Events', async () => {
    const { runs } = receiver()
    expect(await runs(webhooks(SHOP, 'shop/redact'), SHOP)).toBe(true)
    expect(await runs({ ...events(SHOP), 'shopify-topic': 'shop/redact' }, SHOP)).toBe(false)
  })

  it.each([
    [3600, 3_600_000],
    [86_399, 86_399_000],
    [86_401, 86_400_000],
    [2_592_000, 86_400_000],
  ])(
    'a listener that remembers for %i s commits a redaction for %i ms',
    async (retentionSeconds, expected) => {
      const kept: number[] = []
      const { store } = spyStore(memoryStore())
      const { receive } = schemeReceiver(shopify({ secrets: SECRET }), undefined, {
        retentionSeconds,
        store: {
          ...store,
          commit(key, owner, retentionMs) {
            kept.push(retentionMs)
            return store.commit(key, owner, retentionMs)
          },
        },
      })
      for (const body of [SHOP, '{"id":1}']) {
        const verdict = await receive({ headers: webhooks(body, 'shop/redact'), body })
        if (verdict.ok) await verdict.event.commit()
      }
      expect(kept).toEqual([expected, retentionSeconds * 1000])
    },
  )

  it.each(['id', 'signed-bytes'] as const)(
    'a listener with dedupe %s remembers as it always did',
    async (dedupe) => {
      const { clock, runs, send } = receiver({ dedupe })
      expect(await runs(webhooks(SHOP, 'shop/redact'), SHOP)).toBe(true)
      clock.advance(30 * 24 * HOUR_MS)
      expect(await send(webhooks(SHOP, 'shop/redact'), SHOP)).toMatchObject(DUPLICATE)
    },
  )

  it('a redaction whose handler failed runs again at once', async () => {
    const { send } = receiver()
    const verdict = await send(webhooks(SHOP, 'shop/redact'), SHOP)
    if (verdict.ok) await verdict.event.release()
    expect(await send(webhooks(SHOP, 'shop/redact'), SHOP)).toMatchObject({ ok: true })
  })
})
