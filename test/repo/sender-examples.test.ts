import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { standardWebhooks } from '../../src/schemes/standard-webhooks.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { type SignedRequest, signAs } from '../../src/testing/index.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const SECRET = `whsec_${Buffer.alloc(24, 'k').toString('base64')}`

async function served(listener: RequestListener): Promise<number> {
  const server: Server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // it listens on a port
  return port
}

async function post(port: number, path: string, request: SignedRequest): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, request)
  return `${response.status} ${await response.text()}`.trim()
}

function quiet() {
  for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => {})
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })
  return log
}

it.each([
  ['docs/schemes/stripe.md', 'examples/thin-events.ts'],
  ['docs/types.md', 'examples/openapi/app.ts'],
  ['docs/types.md', 'examples/openapi/openapi-ts.config.mjs'],
])('%s shows %s to the letter', (page, example) => {
  expect(read(page)).toContain(`\n${read(example)}\`\`\``)
})

describe('examples/thin-events.ts', () => {
  const TYPE = 'v1.billing.meter.error_report_triggered'
  const related = { id: 'mtr_1', type: 'billing.meter', url: '/v1/billing/meters/mtr_1' }
  const thin = {
    id: 'evt_thin_1',
    object: 'v2.core.event',
    type: TYPE,
    livemode: false,
    related_object: related,
  }
  const created = new Date().toISOString()

  it("the program fetches a thin event and its object by Stripe's own SDK, only if it is signed, and once", async () => {
    const log = quiet()
    const asked: (string | undefined)[] = []
    const api = await served((request, response) => {
      asked.push(request.url)
      const event = { ...thin, created, data: { reason: { error_count: 3 } } }
      const answer = request.url === related.url ? { id: 'mtr_1', display_name: 'API calls' } : event
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
    })
    vi.doMock(import('stripe'), async (original) => {
      const actual = await original()
      class AtThisHost extends actual.default {
        constructor(key: string) {
          super(key, { host: '127.0.0.1', port: api, protocol: 'http' })
        }
      }
      return { ...actual, default: AtThisHost } as typeof actual // the same class, at another host
    })
    onTestFinished(() => void vi.doUnmock('stripe'))
    vi.stubEnv('STRIPE_SECRET_KEY', 'sk_test_made_up')
    vi.stubEnv('STRIPE_WEBHOOK_SECRET', SECRET)
    const { app } = await import('../../examples/thin-events.ts')
    const port = await served(app)
    const request = await signAs(stripe, { secret: SECRET, body: { ...thin, created } })
    expect(await post(port, '/webhooks/stripe-thin', { ...request, body: `${request.body} ` })).toMatch(
      /^401 /,
    )
    expect(asked).toEqual([])
    expect(await post(port, '/webhooks/stripe-thin', request)).toBe('200 done')
    expect(asked).toEqual(['/v2/core/events/evt_thin_1', related.url])
    expect(log.mock.calls).toEqual([['API calls', 3]])
    expect(await post(port, '/webhooks/stripe-thin', request)).toBe('200')
  })
})

describe('examples/openapi/app.ts', () => {
  const at = '2026-11-01T12:00:00+01:00'

  it('the program takes what the document describes, and refuses other payloads although they are signed', async () => {
    const log = quiet()
    vi.stubEnv('WEBHOOK_SECRET', SECRET)
    const { app } = await import('../../examples/openapi/app.ts')
    const port = await served(app)
    const send = async (body: object) =>
      post(port, '/webhooks/shop', await signAs(standardWebhooks, { secret: SECRET, body }))
    const data = { id: 'ord_1', total_amount: 1250, coupon: null }
    expect(await send({ type: 'order.paid', timestamp: at, data })).toBe('200 done')
    expect(await send({ type: 'order.refunded', timestamp: at, data, unknown: 1 })).toBe('200 done')
    expect(log.mock.calls).toEqual([
      ['ship', 'ord_1'],
      ['refund', 1250],
    ])
    const refused = await Promise.all([
      send({ type: 'order.paid', timestamp: at, data: { id: 'ord_1' } }),
      send({ type: 'order.archived', timestamp: at, data }),
    ])
    expect(refused).toEqual([
      expect.stringMatching(/^400 .*payload_invalid/),
      expect.stringMatching(/^400 .*payload_invalid/),
    ])
  })
})
