import type { IncomingMessage, ServerResponse } from 'node:http'
import type Stripe from 'stripe'
import { stripe } from '../../src/schemes/stripe.ts'
import { signAs } from '../../src/testing/index.ts'
import { type FakeServer, sendJson, startFake } from './fake-server.ts'

export const STRIPE_URL = 'https://shop.example/webhooks/stripe'
export const STRIPE_SECRET = 'whsec_of_these_tests'
export const LIVE_KEY = 'rk_live_of_these_tests'
export const TEST_KEY = 'rk_test_of_these_tests'

/** What Stripe's API has of each event, whatever its type. */
type ApiEvent = Pick<
  Stripe.Event,
  'id' | 'object' | 'api_version' | 'created' | 'livemode' | 'pending_webhooks' | 'request'
> & { readonly type: string; readonly data: { readonly object: object } }

type Handle = (request: Request) => Promise<Response>

const endpoint = {
  id: 'we_1',
  object: 'webhook_endpoint',
  api_version: '2026-10-28.endive',
  application: null,
  created: 1_680_122_196,
  description: null,
  enabled_events: ['invoice.paid', 'customer.created'],
  livemode: true,
  metadata: {},
  status: 'enabled',
  url: STRIPE_URL,
} as const satisfies Stripe.WebhookEndpoint

/** A fake of Stripe: one account, its events in two modes, and what was delivered. Lists newest first, in pages. */
export class FakeStripe {
  endpoints: Stripe.WebhookEndpoint[] = [{ ...endpoint, enabled_events: [...endpoint.enabled_events] }]
  readonly events: ApiEvent[] = []
  readonly #undelivered = new Set<string>()
  server!: FakeServer // started by `start`
  pageSize = 100

  static async start(): Promise<FakeStripe> {
    const fake = new FakeStripe()
    fake.server = await startFake('https://api.stripe.com', (...given) => fake.#answer(...given))
    return fake
  }

  /** Makes an event that no delivery has brought yet. */
  create(type: string, created: Date, given: Partial<ApiEvent> = {}): ApiEvent {
    const number = this.events.length + 1
    const event: ApiEvent = {
      id: `evt_${number}`,
      object: 'event',
      api_version: endpoint.api_version,
      created: Math.floor(created.getTime() / 1000),
      data: { object: { id: `in_${number}`, object: 'invoice', amount: number } },
      livemode: true,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
      ...given,
    }
    this.events.push(event)
    this.#undelivered.add(event.id)
    return event
  }

  /** Delivers it as Stripe does: the bytes are not those of the API. */
  async deliver(event: ApiEvent, handle: Handle): Promise<number> {
    const body = JSON.stringify({ ...event, pending_webhooks: 0 })
    const signed = await signAs(stripe, { secret: STRIPE_SECRET, body })
    const { status } = await handle(
      new Request(STRIPE_URL, { method: 'POST', headers: signed.headers, body }),
    )
    if (status < 300) this.#undelivered.delete(event.id)
    return status
  }

  #answer({ headers, method }: IncomingMessage, response: ServerResponse, url: URL): unknown {
    const key = headers.authorization?.replace('Bearer ', '')
    if (key !== LIVE_KEY && key !== TEST_KEY)
      return sendJson(response, 401, {
        error: { message: `Invalid API Key provided: ${key}`, type: 'invalid_request_error' },
      })
    const isLive = key === LIVE_KEY
    if (method === 'GET' && url.pathname === '/v1/webhook_endpoints')
      return this.#page(
        response,
        url,
        this.endpoints.filter(({ livemode }) => livemode === isLive),
      )
    if (method === 'GET' && url.pathname === '/v1/events')
      return this.#page(response, url, this.#eventsFor(url, isLive))
    return sendJson(response, 404, {
      error: { message: 'Unrecognized request URL', type: 'invalid_request_error' },
    })
  }

  #eventsFor({ searchParams }: URL, isLive: boolean): ApiEvent[] {
    const since = Number(searchParams.get('created[gte]') ?? 0)
    const isMissed = searchParams.get('delivery_success') === 'false'
    return this.events
      .filter(({ livemode, created }) => livemode === isLive && created >= since)
      .filter(({ id }) => !isMissed || this.#undelivered.has(id))
      .toSorted((one, other) => other.created - one.created)
  }

  #page(
    response: ServerResponse,
    { pathname, searchParams }: URL,
    all: readonly { readonly id: string }[],
  ): void {
    const after = searchParams.get('starting_after')
    const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
    const limit = Math.min(Number(searchParams.get('limit') ?? 10), this.pageSize)
    const data = all.slice(from, from + limit)
    sendJson(response, 200, { object: 'list', url: pathname, has_more: from + limit < all.length, data })
  }
}
