import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { webhookHandler } from '../../adapters/web.ts'
import { type Authenticator, defineListener, verify } from '../../src/index.ts'
import { airwallex } from '../../src/schemes/airwallex.ts'
import { clickup } from '../../src/schemes/clickup.ts'
import { coinbaseCdp } from '../../src/schemes/coinbase-cdp.ts'
import { coinbaseCommerce } from '../../src/schemes/coinbase-commerce.ts'
import { customerIo } from '../../src/schemes/customer-io.ts'
import { heroku } from '../../src/schemes/heroku.ts'
import { huggingFace } from '../../src/schemes/hugging-face.ts'
import { jira } from '../../src/schemes/jira.ts'
import { mercadoPago } from '../../src/schemes/mercado-pago.ts'
import { mollie } from '../../src/schemes/mollie.ts'
import { retell } from '../../src/schemes/retell.ts'
import { vapi } from '../../src/schemes/vapi.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import {
  type SignAsOptions,
  signAs,
  type toDelivery as ToDelivery,
  toDelivery,
} from '../../src/testing/index.ts'

const SECRET = 'a-secret-0123456789'
const NOW = 1_763_640_000

type Request = Parameters<typeof ToDelivery>[0]
type Factory = Parameters<typeof signAs>[0] & ((options: { readonly secrets: string }) => Authenticator)

const listenerOf = (factory: Factory) => {
  const clock = { now: () => NOW * 1000 }
  const auth = factory({ secrets: SECRET })
  return defineListener({ id: 'a', auth, store: memoryStore({ clock }), clock })
}

/** Why each of the requests is refused in turn by one listener, or `runs`. */
async function outcomesOf(factory: Factory, requests: readonly Request[]): Promise<readonly string[]> {
  const listener = listenerOf(factory)
  const outcomes: string[] = []
  for (const request of requests) {
    const verdict = await verify(toDelivery(request), listener)
    if (verdict.ok) await verdict.event.commit()
    outcomes.push(verdict.ok ? 'runs' : 'handshake' in verdict ? 'handshake' : verdict.reason)
  }
  return outcomes
}

const signed = (factory: Factory, body: SignAsOptions['body'], more: Partial<SignAsOptions> = {}) =>
  signAs(factory, { secret: SECRET, body, timestamp: NOW, ...more })

/** Without the options of a time, for rows that sign none. */
const untimed = (factory: Factory, body: SignAsOptions['body'], more: Partial<SignAsOptions> = {}) =>
  signAs(factory, { secret: SECRET, body, ...more })

describe('an attempt whose body differs from the first one', () => {
  it('Coinbase Commerce counts its attempts in the body: the event runs once', async () => {
    const attempt = (attempt_number: number) =>
      untimed(coinbaseCommerce, { attempt_number, event: { id: 'one', type: 'charge:confirmed' } })
    expect(await outcomesOf(coinbaseCommerce, [await attempt(1), await attempt(2)])).toEqual([
      'runs',
      'event_duplicate',
    ])
  })

  it('Heroku names the attempt in the body: the event runs once, and another event runs', async () => {
    const attempt = (id: string, of: string) =>
      untimed(heroku, { id, webhook_metadata: { attempt: { id: of }, event: { id, include: 'api:app' } } })
    const requests = [await attempt('one', '1'), await attempt('one', '2'), await attempt('two', '3')]
    expect(await outcomesOf(heroku, requests)).toEqual(['runs', 'event_duplicate', 'runs'])
  })

  it.each([
    ['Customer.io', customerIo, { event_id: 'one', metric: 'opened' }],
    ['Airwallex', airwallex, { id: 'one', name: 'payment_intent.succeeded' }],
  ] as const)('%s signs each attempt with another time: the event runs once', async (_, factory, body) => {
    const requests = await Promise.all(
      [0, 5].map((later) => signed(factory, body, { timestamp: NOW + later })),
    )
    expect(await outcomesOf(factory, requests)).toEqual(['runs', 'event_duplicate'])
  })

  it('a retry of the Coinbase Developer Platform with another time runs once, by its ID', async () => {
    const attempt = (later: number) =>
      signed(coinbaseCdp, { a: 1 }, { eventId: 'one', timestamp: NOW + later })
    expect(await outcomesOf(coinbaseCdp, [await attempt(0), await attempt(5)])).toEqual([
      'runs',
      'event_duplicate',
    ])
  })
})

describe('Mercado Pago, whose body is not signed', () => {
  /** `requestId` differs with each attempt. */
  const notified = (requestId: string, urlId: string, body: object) => {
    const manifest = `id:${urlId};request-id:${requestId};ts:${NOW};`
    const signature = createHmac('sha256', SECRET).update(manifest).digest('hex')
    return {
      method: 'POST',
      url: `/hooks?data.id=${urlId}`,
      headers: {
        'content-type': 'application/json',
        'x-request-id': requestId,
        'x-signature': `ts=${NOW},v1=${signature}`,
      },
      body: new Uint8Array(Buffer.from(JSON.stringify(body))),
    }
  }

  it('a payment’s notification runs once, by its ID, and the next one of the payment runs', async () => {
    const payment = (requestId: string, id: number) =>
      notified(requestId, '123', { id, type: 'payment', data: { id: '123' } })
    const requests = [payment('a', 1), payment('b', 1), payment('c', 2)]
    expect(await outcomesOf(mercadoPago, requests)).toEqual(['runs', 'event_duplicate', 'runs'])
  })

  it('every notification of a merchant order runs, whose ID is that of the order', async () => {
    const order = (requestId: string, status: string) =>
      notified(requestId, '777', { id: '777', type: 'topic_merchant_order_wh', data: { status } })
    const requests = [order('a', 'opened'), order('b', 'closed'), order('b', 'closed')]
    expect(await outcomesOf(mercadoPago, requests)).toEqual(['runs', 'runs', 'event_duplicate'])
  })
})

describe('a captured delivery', () => {
  it.each([
    ['Jira', jira, 'x-atlassian-webhook-identifier', undefined],
    ['the Coinbase Developer Platform', coinbaseCdp, 'x-event-id', NOW],
  ] as const)('a delivery of %s under another ID is a duplicate', async (_, factory, header, timestamp) => {
    const time = timestamp === undefined ? {} : { timestamp }
    const { headers, ...rest } = await signAs(factory, {
      secret: SECRET,
      body: { a: 1 },
      eventId: 'one',
      ...time,
    })
    const again = { ...rest, headers: { ...headers, [header]: 'two' } }
    expect(await outcomesOf(factory, [{ ...rest, headers }, again])).toEqual(['runs', 'event_duplicate'])
  })

  it('a digit of Airwallex’s time does not move into the body, whose first character is no digit', async () => {
    const { headers, ...rest } = await signed(airwallex, '{"id": "one"}')
    const time = headers['x-timestamp'] ?? ''
    const shorter = { ...headers, 'x-timestamp': time.slice(0, -1) }
    const moved = { ...rest, headers: shorter, body: `${time.slice(-1)}${rest.body}` }
    const outcomes = await outcomesOf(airwallex, [moved, { ...rest, headers }])
    expect(outcomes).toEqual(['body_not_json', 'runs'])
  })

  it('a digit of Retell’s time does not move into the body', async () => {
    const { headers, ...rest } = await signed(retell, '{"event": "call_ended"}')
    const header = headers['x-retell-signature'] ?? ''
    const [, time = ''] = /v=(\d+)/.exec(header) ?? []
    const shorter = { ...headers, 'x-retell-signature': header.replace(time, time.slice(1)) }
    expect(
      await outcomesOf(retell, [{ ...rest, headers: shorter, body: `${rest.body}${time.slice(0, 1)}` }]),
    ).toEqual(['body_not_json'])
  })

  it.each([
    ['Hugging Face', huggingFace],
    ['Vapi', vapi],
  ] as const)(
    'equal bodies of %s are two events: it signs nothing that tells them apart',
    async (_, factory) => {
      const request = await untimed(factory, { message: { type: 'hang' }, event: { scope: 'repo.config' } })
      expect(await outcomesOf(factory, [request, request])).toEqual(['runs', 'runs'])
    },
  )
})

describe('the signature of Mollie', () => {
  it('a signature of either secret of a rotation is enough, in either order, with or without its prefix', async () => {
    const request = await untimed(mollie, { id: 'event_1', type: 'payment.paid' })
    const right = request.headers['x-mollie-signature'] ?? ''
    const wrong = `sha256=${'0'.repeat(64)}`
    expect(right).toMatch(/^sha256=[\da-f]{64}$/)
    const bare = right.slice('sha256='.length)
    for (const value of [right, bare, `${right}, ${wrong}`, `${wrong}, ${right}`, `${wrong}, ${bare}`]) {
      const headers = { ...request.headers, 'x-mollie-signature': value }
      expect(await outcomesOf(mollie, [{ ...request, headers }]), value).toEqual(['runs'])
    }
    for (const value of [
      wrong,
      bare.toUpperCase(),
      `sha256=${right}`,
      `sha1=${bare}`,
      `${wrong}, ${wrong}`,
    ]) {
      const headers = { ...request.headers, 'x-mollie-signature': value }
      expect(await outcomesOf(mollie, [{ ...request, headers }]), value).toEqual(['signature_mismatch'])
    }
  })
})

it.each(['', '{"a"', 'x-event-id ', 'X-Event-Id', 'naïve', 'a'.repeat(4000), 'x-a '.repeat(70).trim()])(
  'a list of headers that Coinbase never writes is refused, also where the web runtime throws for its names: %s',
  async (names) => {
    const seconds = Math.floor(Date.now() / 1000)
    const auth = coinbaseCdp({ secrets: SECRET })
    const listener = defineListener({ id: 'a', auth, store: memoryStore({ maxRecords: 9 }) })
    const headers = {
      'content-type': 'application/json',
      'x-hook0-signature': `t=${seconds},h=${names},v1=${'0'.repeat(64)}`,
    }
    const request = new Request('https://a.example/', { method: 'POST', headers, body: '{}' })
    expect((await webhookHandler(listener, () => {})(request)).status).toBe(401)
  },
)

describe('events of ClickUp', () => {
  const body = (event: string, item: string, webhook_id = 'a') => ({
    webhook_id,
    event,
    history_items: item === '' ? [] : [{ id: item }],
  })
  const outcomes = async (bodies: readonly object[]) =>
    outcomesOf(clickup, await Promise.all(bodies.map((each) => untimed(clickup, each))))

  it('a change runs once, also if its retry is written differently', async () => {
    const first = body('taskUpdated', '28')
    expect(await outcomes([first, { ...first, more: 1 }])).toEqual(['runs', 'event_duplicate'])
  })

  it('another event, another change and another webhook run, although each shares the rest', async () => {
    const [first, ...others] = [
      body('taskCreated', '28'),
      body('taskStatusUpdated', '28'),
      body('taskCreated', '29'),
      body('taskCreated', '28', 'b'),
    ]
    expect(await outcomes([first ?? {}, ...others])).toEqual(['runs', 'runs', 'runs', 'runs'])
  })

  it.each([
    { event: 'spaceUpdated', space_id: '54650507', webhook_id: 'a' },
    { event: 'keyResultUpdated', goal_id: 'a', key_result_id: 'b', webhook_id: 'a' },
    body('listUpdated', ''),
  ])(
    'the second update without a history item runs, although its body is the first one: $event',
    async (update) => {
      expect(await outcomes([update, update])).toEqual(['runs', 'runs'])
    },
  )
})
