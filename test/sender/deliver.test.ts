import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook } from '../../adapters/express.ts'
import { ListenerConfigError } from '../../src/errors.ts'
import { type Authenticator, defineListener, hmac } from '../../src/index.ts'
import { github } from '../../src/schemes/github.ts'
import type { Scheme } from '../../src/schemes/kit/index.ts'
import { livekit } from '../../src/schemes/livekit.ts'
import { sns } from '../../src/schemes/sns.ts'
import { standardWebhooks } from '../../src/schemes/standard-webhooks.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import {
  type DeliverOptions,
  deliver,
  type Endpoint,
  type OutgoingEvent,
  publicOnly,
} from '../../src/sender/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { fakeClock } from '../support/clock.ts'
import { endpoint, LOOPBACK } from './endpoint.ts'

type Factory = ((options: { readonly secrets: string }) => Authenticator) & { readonly scheme: Scheme }

const SECRET = 'sender-0123456789-abcdefghijklmnop'
const STANDARD = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`

function newEvent(body: OutgoingEvent['body'] = '{"total":1.0}'): OutgoingEvent {
  return { id: crypto.randomUUID(), body }
}

function send(target: Endpoint, event: OutgoingEvent = newEvent(), options: DeliverOptions = {}) {
  return deliver(target, event, { agents: LOOPBACK, ...options })
}

/** hookgate itself, on Node's own server. */
async function receiver(auth: Authenticator, handle: (body: unknown) => number = () => 200) {
  const guard = verifyWebhook(defineListener({ id: 'receiver', auth, store: memoryStore() }))
  const bodies: unknown[] = []
  const { url } = await endpoint((request, response) =>
    guard(request, response, () => {
      bodies.push(Reflect.get(request, 'body'))
      response.writeHead(handle(bodies.at(-1))).end()
    }),
  )
  return { url, bodies }
}

describe('deliver to hookgate', () => {
  it('deliver is done after the first attempt, and after a second one of the same event', async () => {
    const { url, bodies } = await receiver(hmac({ secrets: SECRET }))
    const event = newEvent({ total: 1 })
    expect(await send({ url, secret: SECRET }, event)).toMatchObject({ outcome: 'done', status: 200 })
    const second = await send({ url, secret: SECRET }, event)
    expect(second).toMatchObject({ outcome: 'done', status: 409, code: 'event_duplicate' })
    expect(bodies).toEqual([{ total: 1 }])
  })

  it('deliver tries again when the handler failed, and then succeeds', async () => {
    let failures = 1
    const { url, bodies } = await receiver(hmac({ secrets: SECRET }), () => (failures-- > 0 ? 500 : 200))
    const event = newEvent()
    expect(await send({ url, secret: SECRET }, event)).toMatchObject({ outcome: 'again', status: 500 })
    expect(await send({ url, secret: SECRET }, event)).toMatchObject({ outcome: 'done', status: 200 })
    expect(bodies).toHaveLength(2)
  })

  it('deliver tries again after Retry-After while another attempt still runs', async () => {
    let finish = () => {}
    const running = new Promise<void>((resolve) => {
      finish = resolve
    })
    const guard = verifyWebhook(
      defineListener({ id: 'slow', auth: hmac({ secrets: SECRET }), store: memoryStore() }),
    )
    let started = () => {}
    const isRunning = new Promise<void>((resolve) => {
      started = resolve
    })
    const { url } = await endpoint((request, response) =>
      guard(request, response, async () => {
        started()
        await running
        response.end()
      }),
    )
    const event = newEvent()
    const first = send({ url, secret: SECRET }, event)
    await isRunning
    const second = await send({ url, secret: SECRET }, event)
    expect(second).toMatchObject({ outcome: 'again', status: 503, code: 'event_in_progress' })
    expect(second.retryAfterMs).toBeGreaterThanOrEqual(1000)
    finish()
    expect(await first).toMatchObject({ outcome: 'done' })
  })

  it('deliver never tries again with a secret that the receiver does not know', async () => {
    const { url } = await receiver(hmac({ secrets: SECRET }))
    const attempt = await send({ url, secret: `${SECRET}-2` })
    expect(attempt).toMatchObject({ outcome: 'never', status: 401, code: 'unauthorized' })
  })

  it.each<readonly [string, Factory, string]>([
    ['Standard Webhooks', standardWebhooks, STANDARD],
    ['Stripe', stripe, 'whsec_for_trying'],
    ['GitHub', github, SECRET],
  ])('deliver signs like %s', async (_, scheme, secret) => {
    const { url, bodies } = await receiver(scheme({ secrets: secret }))
    const event = { ...newEvent({ id: 'evt_1', type: 'invoice.paid' }), type: 'invoice.paid' }
    expect(await send({ url, scheme, secret }, event)).toMatchObject({ outcome: 'done', status: 200 })
    expect(bodies).toHaveLength(1)
  })

  it('deliver refuses a whsec_ secret without a scheme, sends nothing, and names the scheme to pass', async () => {
    const asked: unknown[] = []
    const { url } = await endpoint((request, response) => {
      asked.push(request.url)
      response.end()
    })
    const error = await send({ url, secret: STANDARD }).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ name: 'ListenerConfigError', option: 'secret' })
    expect(`${error}`).toContain('scheme: standardWebhooks')
    expect(`${error}`).not.toContain(STANDARD)
    expect(asked).toEqual([])
    expect(await send({ url, secret: STANDARD.replace('whsec_', 'WHSEC_') })).toMatchObject({
      outcome: 'done',
    })
  })

  it('deliver signs like a sender that names its secrets', async () => {
    const { url, bodies } = await receiver(livekit({ secrets: SECRET, apiKey: 'APIkey' }))
    const target = { url, scheme: livekit, secret: SECRET, keyId: 'APIkey' }
    expect(await send(target, newEvent({ id: 'EV_1' }))).toMatchObject({ outcome: 'done', status: 200 })
    expect(bodies).toEqual([{ id: 'EV_1' }])
  })

  it('deliver sends the same bytes and ID each time, with a new timestamp and signature', async () => {
    const seen: { body: string; headers: Readonly<Record<string, unknown>> }[] = []
    const { url } = await endpoint((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part) => parts.push(part))
      request.on('end', () => {
        seen.push({ body: Buffer.concat(parts).toString(), headers: request.headers })
        response.end()
      })
    })
    const clock = fakeClock()
    const event = newEvent('{ "a" : 1.0 }')
    await send({ url, secret: SECRET }, event, { clock })
    clock.advance(60_000)
    await send(
      { url, secret: SECRET, headers: { 'User-Agent': 'acme/1', 'Webhook-Event-Id': 'mine' } },
      event,
      { clock },
    )
    const [first, second] = seen
    expect([first?.body, second?.body]).toEqual(['{ "a" : 1.0 }', '{ "a" : 1.0 }'])
    expect(second?.headers['webhook-event-id']).toBe(event.id)
    expect(first?.headers['webhook-event-id']).toBe(event.id)
    expect(Number(second?.headers['webhook-timestamp']) - Number(first?.headers['webhook-timestamp'])).toBe(
      60,
    )
    expect(second?.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature'])
    expect(second?.headers['user-agent']).toBe('acme/1')
  })
})

describe('an answer', () => {
  it('an answer that is a redirect is not followed', async () => {
    const asked: unknown[] = []
    const { url } = await endpoint((request, response) => {
      asked.push(request.url)
      response.writeHead(302, { location: '/other' }).end()
    })
    expect(await send({ url, secret: SECRET })).toMatchObject({
      outcome: 'never',
      status: 302,
      reason: 'redirected',
    })
    expect(asked).toEqual(['/hooks'])
  })

  it('a 410 or a header reports the endpoint as gone', async () => {
    const { url } = await endpoint((request, response) => {
      if (request.url === '/hooks') response.writeHead(410).end()
      else response.writeHead(200, { 'webhook-delivery': 'disable' }).end()
    })
    expect(await send({ url, secret: SECRET })).toMatchObject({ outcome: 'gone', status: 410 })
    expect(await send({ url: `${url}/2`, secret: SECRET })).toMatchObject({ outcome: 'gone', status: 200 })
  })

  it('an answer is kept up to 4,096 bytes, as text', async () => {
    const { url } = await endpoint((request, response) =>
      response.writeHead(500).end('x'.repeat(request.url === '/hooks' ? 4096 : 5000)),
    )
    for (const path of ['', '/2']) {
      expect((await send({ url: url + path, secret: SECRET })).answer).toBe('x'.repeat(4096))
    }
  })

  it('an answer is timed with the given clock', async () => {
    const clock = fakeClock()
    const { url } = await endpoint((_, response) => {
      clock.advance(1234)
      response.end()
    })
    expect(await send({ url, secret: SECRET }, newEvent(), { clock })).toMatchObject({ durationMs: 1234 })
  })
})

describe('no answer', () => {
  it('a refused connection is retried', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const attempt = await send({ url: `http://127.0.0.1:${port}/`, secret: SECRET })
    expect(attempt).toMatchObject({ outcome: 'again', reason: 'connection_failed' })
    expect(attempt.status).toBeUndefined()
  })

  it('an unknown name is retried', async () => {
    const agents = publicOnly({
      lookup: (_, __, callback) => callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), ''),
    })
    const attempt = await send({ url: 'https://endpoint.example/', secret: SECRET }, newEvent(), { agents })
    expect(attempt).toMatchObject({ outcome: 'again', reason: 'name_not_found' })
  })

  it.each([
    '',
    'endpoint.example/hooks',
    'ftp://endpoint.example',
    'https://user@endpoint.example',
    'https://:secret@endpoint.example',
  ])('%j is never retried, because it is not a URL to send to', async (url) => {
    if (url === '') return expect(send({ url, secret: SECRET })).rejects.toThrow(ListenerConfigError)
    expect(await send({ url, secret: SECRET })).toMatchObject({ outcome: 'never', reason: 'url_invalid' })
  })
})

describe('a mistake of the caller', () => {
  const url = 'http://127.0.0.1:9/'
  it.each<[string, unknown, unknown?, unknown?]>([
    ['an endpoint without a key', { url }],
    ['a JWT endpoint without a subject', { url, privateKey: { kty: 'OKP', crv: 'Ed25519', d: 'a', x: 'b' } }],
    ['a misspelt member of the endpoint', { url, secret: SECRET, sceme: stripe }],
    ['an empty secret', { url, secret: '' }],
    ['a scheme that only its sender signs', { url, scheme: sns, secret: SECRET }],
    ['an event without an ID', { url, secret: SECRET }, { body: '{}' }],
    ['an event without a body', { url, secret: SECRET }, { id: 'a' }],
    ['an ID with a line break', { url, secret: SECRET }, { id: 'a\r\nx: y', body: '{}' }],
    ['a header that frames the body', { url, secret: SECRET, headers: { 'Transfer-Encoding': 'chunked' } }],
    ['a header with a line break', { url, secret: SECRET, headers: { a: 'b\r\nc: d' } }],
    ['a misspelt option', { url, secret: SECRET }, newEvent(), { timeout: 1 }],
    ['a timeout of 0', { url, secret: SECRET }, newEvent(), { timeoutSeconds: 0 }],
  ])('deliver throws for %s', async (_, target, event = newEvent(), options = {}) => {
    const attempt = deliver(target as Endpoint, event as OutgoingEvent, options as DeliverOptions)
    const error = await attempt.catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ListenerConfigError)
    expect(String(error)).not.toContain(SECRET)
  })
})

it('an address that is not public is refused without any option', async () => {
  let requests = 0
  const server = createServer(() => {
    requests += 1
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const attempt = await deliver({ url: `http://127.0.0.1:${port}/`, secret: SECRET }, newEvent())
  expect(attempt).toMatchObject({ outcome: 'never', reason: 'address_not_public' })
  expect(requests).toBe(0)
})
