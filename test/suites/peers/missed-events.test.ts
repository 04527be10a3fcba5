import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { components, paths } from '@octokit/openapi-types'
import { Octokit } from '@octokit/rest'
import Stripe from 'stripe'
import { describe, expect, it, onTestFinished } from 'vitest'
import { webhookHandler } from '../../../adapters/web.ts'
import { redeliverMissed } from '../../../examples/missed/github.ts'
import { sendMissed } from '../../../examples/missed/stripe.ts'
import { defineListener, type WebhookEvent } from '../../../src/index.ts'
import { github } from '../../../src/schemes/github.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { signAs } from '../../../src/testing/index.ts'

const SECRET = 'whsec_of_this_test'
const NOW = new Date()
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000)

/** An endpoint of a user: what ran, and a switch that makes its handler fail. */
function endpoint(auth: ReturnType<typeof stripe>) {
  const ran: (string | undefined)[] = []
  const state = { isDown: false }
  const listener = defineListener({ id: 'missed', auth, store: memoryStore(), onError() {} })
  const handle = webhookHandler(listener, ({ id }: WebhookEvent) => {
    if (state.isDown) return new Response(null, { status: 500 })
    ran.push(id)
    return new Response(null, { status: 204 })
  })
  return { ran, state, handle }
}

async function serve(
  answer: (request: IncomingMessage, body: string) => Promise<Response> | Response,
): Promise<URL> {
  const server: Server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const answered = await answer(request, body)
    response.writeHead(answered.status, Object.fromEntries(answered.headers))
    response.end(await answered.text())
  })
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) // a TCP server has one
}

/** The path as GitHub's API description writes it, with values in place of its names. */
function filled(path: keyof paths, values: Record<string, string | number>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name]))
}

const HOOK = { owner: 'octocat', repo: 'hello-world', hook_id: 7 }
const LIST: keyof paths = '/repos/{owner}/{repo}/hooks/{hook_id}/deliveries'
const REDELIVER: keyof paths = '/repos/{owner}/{repo}/hooks/{hook_id}/deliveries/{delivery_id}/attempts'

type Delivery = components['schemas']['hook-delivery-item']

/** GitHub: keeps deliveries, lists them newest first in pages of two, and sends one again when asked. */
class FakeGitHub {
  readonly deliveries: Delivery[] = []
  readonly #handle: (request: Request) => Promise<Response>

  constructor(handle: (request: Request) => Promise<Response>) {
    this.#handle = handle
  }

  /** Sends an event, signed, and keeps what was answered. */
  async deliver(guid: string, at: Date, redelivery = false): Promise<void> {
    const headers = { 'x-github-event': 'push' }
    const signed = await signAs(github, { secret: SECRET, eventId: guid, body: { guid } })
    const request = new Request('http://localhost/webhooks/github', {
      method: 'POST',
      headers: { ...signed.headers, ...headers },
      body: signed.body,
    })
    const { status } = await this.#handle(request)
    this.deliveries.unshift({
      id: 1000 + this.deliveries.length,
      guid,
      delivered_at: at.toISOString(),
      redelivery,
      duration: 0.1,
      status: status < 300 ? 'OK' : 'Internal Server Error',
      status_code: status,
      event: 'push',
      action: null,
      installation_id: null,
      repository_id: null,
    })
  }

  async answer({ method, url = '' }: IncomingMessage): Promise<Response> {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    if (method === 'GET' && pathname === filled(LIST, HOOK)) {
      const from = Number(searchParams.get('cursor') ?? 0)
      const next = `<http://${'host'}${pathname}?cursor=${from + 2}>; rel="next"`
      const isLast = from + 2 >= this.deliveries.length
      return Response.json(this.deliveries.slice(from, from + 2), { headers: isLast ? {} : { link: next } })
    }
    const asked = this.deliveries.find(
      ({ id }) => pathname === filled(REDELIVER, { ...HOOK, delivery_id: Number(id) }),
    )
    if (method !== 'POST' || asked === undefined)
      return Response.json({ message: 'Not Found' }, { status: 404 })
    await this.deliver(asked.guid, NOW, true)
    return Response.json({}, { status: 202 })
  }
}

describe('examples/missed/github.ts', () => {
  it('the program has GitHub send again what failed, once, and nothing that succeeded since or is too old', async () => {
    const receiver = endpoint(github({ secrets: SECRET }))
    const sender = new FakeGitHub(receiver.handle)
    receiver.state.isDown = true
    await sender.deliver('too-old', hoursAgo(30))
    await sender.deliver('failed-first', hoursAgo(5))
    await sender.deliver('redelivered-by-hand', hoursAgo(4))
    await sender.deliver('failed-second', hoursAgo(3))
    receiver.state.isDown = false
    await sender.deliver('redelivered-by-hand', hoursAgo(2), true)
    await sender.deliver('fine', hoursAgo(1))
    expect(receiver.ran).toEqual(['redelivered-by-hand', 'fine'])

    let api = new URL('http://localhost')
    api = await serve(async (request) => {
      const answered = await sender.answer(request)
      const link = answered.headers.get('link')?.replace('http://host', api.origin)
      return new Response(answered.body, {
        status: answered.status,
        headers: { 'content-type': 'application/json', ...(link && { link }) },
      })
    })
    const octokit = new Octokit({ baseUrl: api.origin })
    expect(await redeliverMissed(octokit, HOOK, hoursAgo(24))).toBe(2)
    expect(receiver.ran.slice(2)).toEqual(['failed-first', 'failed-second'])
    expect(await redeliverMissed(octokit, HOOK, hoursAgo(24))).toBe(0)
  })
})

/** An event as stripe-node's types, which are made from Stripe's API description, have it. */
function stripeEvent(id: string, created: Date): Stripe.Event {
  const event: Pick<
    Stripe.Event,
    'api_version' | 'created' | 'id' | 'livemode' | 'object' | 'pending_webhooks'
  > = {
    id,
    object: 'event',
    api_version: '2026-01-28.clover',
    created: Math.floor(created.getTime() / 1000),
    livemode: false,
    pending_webhooks: 1,
  }
  return { ...event, request: null, type: 'invoice.paid', data: { object: { id: 'in_1' } } } as Stripe.Event // no whole invoice
}

describe('examples/missed/stripe.ts', () => {
  it('the program sends what Stripe could not deliver, oldest first, and each event runs once', async () => {
    const receiver = endpoint(stripe({ secrets: SECRET }))
    const undelivered = [5, 4, 3].map((hours) => stripeEvent(`evt_${hours}`, hoursAgo(hours))).toReversed()
    const asked: URLSearchParams[] = []
    const api = await serve(({ url = '' }) => {
      const { pathname, searchParams } = new URL(url, 'http://localhost')
      if (pathname !== '/v1/events') return Response.json({ error: { message: pathname } }, { status: 404 })
      asked.push(searchParams)
      const after = undelivered.findIndex(({ id }) => id === searchParams.get('starting_after')) + 1
      const page: Stripe.ApiList<Stripe.Event> = {
        object: 'list',
        url: '/v1/events',
        has_more: after + 2 < undelivered.length,
        data: undelivered.slice(after, after + 2),
      }
      return Response.json(page)
    })
    const own = await serve((request, body) =>
      receiver.handle(
        new Request('http://localhost/webhooks/stripe', {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'stripe-signature': String(request.headers['stripe-signature']),
          },
          body,
        }),
      ),
    )
    const client = new Stripe('sk_test_made_up', { host: api.hostname, port: api.port, protocol: 'http' })
    const endpointOf = { url: own.href, secret: SECRET }

    receiver.state.isDown = true
    expect(await sendMissed(client, endpointOf, hoursAgo(24))).toEqual(['evt_5', 'evt_4', 'evt_3'])
    receiver.state.isDown = false
    expect(await sendMissed(client, endpointOf, hoursAgo(24))).toEqual([])
    expect(await sendMissed(client, endpointOf, hoursAgo(24))).toEqual([])
    expect(receiver.ran).toEqual(['evt_5', 'evt_4', 'evt_3'])
    expect(asked[0]?.get('delivery_success')).toBe('false')
    expect(Number(asked[0]?.get('created[gte]'))).toBe(Math.floor(hoursAgo(24).getTime() / 1000))
  })
})

it.each(['github', 'stripe'])('docs/missed-events.md shows examples/missed/%s.ts to the letter', (name) => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
  expect(read('docs/missed-events.md')).toContain(`\n${read(`examples/missed/${name}.ts`)}\`\`\``)
})
