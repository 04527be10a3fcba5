import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { NetConnectOpts } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import { createAdaptorServer } from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import { type Context, Hono } from 'hono'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { observeWebhook as onExpress } from '../../adapters/express.ts'
import { observeWebhook as onFastify } from '../../adapters/fastify.ts'
import { observeWebhook as onHono } from '../../adapters/hono.ts'
import { observeWebhook as onWeb } from '../../adapters/web.ts'
import {
  defineListener,
  type Listener,
  type ListenerOptions,
  type Verdict,
  type VerdictContext,
} from '../../src/index.ts'
import { jwt, remoteKeySet } from '../../src/jwt.ts'
import { asana } from '../../src/schemes/asana.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs } from '../../src/testing/index.ts'
import { exchange, type RawRequest, toBytes } from '../support/raw-http.ts'
import { schemeFactory } from '../support/schemes.ts'
import { serve, serveFastify } from '../support/servers.ts'
import { spyStore } from '../support/spy-store.ts'

const SECRET = 'whsec_beside-the-old-check-0123456789'

/** A Stripe listener, and what its hooks hear. */
function stripeListener(options: Partial<ListenerOptions> = {}) {
  const heard: { readonly verdict: Verdict; readonly context: VerdictContext }[] = []
  const errors: unknown[] = []
  const { store, calls } = spyStore(memoryStore())
  const listener = defineListener({
    id: 'beside',
    auth: stripe({ secrets: SECRET }),
    store,
    onVerdict: (verdict, context) => heard.push({ verdict, context }),
    onError: (error) => errors.push(error),
    ...options,
  })
  return { listener, heard, errors, calls }
}

const BODY = '{"id":"evt_1","type":"invoice.paid"}'

/** Signed for `BODY`, whatever is sent. */
async function delivery(sent: string = BODY): Promise<RawRequest> {
  const { headers } = await signAs(stripe, { secret: SECRET, body: BODY })
  return { method: 'POST', path: '/hook', headers: Object.entries(headers), body: Buffer.from(sent) }
}

/** What the old handler passes on, in place of the exact bytes. */
type Broken = (bytes: Uint8Array) => unknown

/** An old handler, which reads the exact bytes for its own check. `settled` gets what `observeWebhook` returns. */
type Beside = (
  listener: Listener,
  settled: (judging: Promise<Verdict | undefined>) => void,
  broken?: Broken,
) => Promise<(request: RawRequest) => Promise<string | undefined>>

const overSocket =
  ({ address }: { readonly address: NetConnectOpts }) =>
  async (request: RawRequest) =>
    // Hono on Bun answers in one chunk.
    (await exchange(address, toBytes(request)))?.body.replace(/^9\r\n(.{9})\r\n0\r\n\r\n$/, '$1')

const asIs: Broken = (bytes) => bytes

const OLD: { readonly [name: string]: Beside } = {
  async Express(listener, settled, broken = asIs) {
    const app = express().all(/.*/, express.raw({ type: () => true, limit: '10mb' }), (request, response) => {
      settled(onExpress(listener, request, broken(bytesIn(request.body)) as Uint8Array))
      response.send(`old ${'webhook' in request}`)
    })
    return overSocket(await serve(app))
  },
  async 'node:http'(listener, settled, broken = asIs) {
    const app = createServer(async (request, response) => {
      const bytes = Buffer.concat(await request.toArray())
      settled(onExpress(listener, request, broken(bytes) as Uint8Array))
      response.end(`old ${'webhook' in request}`)
    })
    return overSocket(await serve(app))
  },
  async Fastify(listener, settled, broken = asIs) {
    const app = Fastify({ bodyLimit: 10_000_000 })
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    app.all('*', async (request) => {
      settled(onFastify(listener, request, broken(bytesIn(request.body)) as Uint8Array))
      return `old ${'webhook' in request}`
    })
    return overSocket(await serveFastify(app))
  },
  async 'Hono on Node'(listener, settled, broken = asIs) {
    const app = oldHono((c, bytes) => settled(onHono(listener, c, broken(bytes) as Uint8Array)))
    return overSocket(await serve(createAdaptorServer(app)))
  },
  async 'Hono on the web'(listener, settled, broken = asIs) {
    const app = oldHono((c, bytes) => settled(onHono(listener, c, broken(bytes) as Uint8Array)))
    return async (request) => (await app.request(webRequest(request))).text()
  },
  async 'a fetch handler'(listener, settled, broken = asIs) {
    return async (given) => {
      const request = webRequest(given)
      const bytes = new Uint8Array(await request.arrayBuffer())
      settled(onWeb(listener, request, broken(bytes) as Uint8Array))
      return 'old false'
    }
  },
}

/** `express.raw` and Fastify leave something else if there is no body. */
function bytesIn(body: unknown): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array()
}

function oldHono(judge: (c: Context, bytes: Uint8Array) => void) {
  return new Hono().all('*', async (c) => {
    judge(c, new Uint8Array(await c.req.arrayBuffer()))
    return c.text(`old ${c.get('webhook' as never) !== undefined}`)
  })
}

function webRequest({ method, path, headers, body }: RawRequest): Request {
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(new URL(path, 'http://localhost'), {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    ...(hasBody && { body: new Uint8Array(body) }),
  })
}

/** The old handler with hookgate beside it: returns the answer, and what `observeWebhook` resolved with. */
async function started(beside: Beside, listener: Listener, broken?: Broken) {
  let judging: Promise<Verdict | undefined> = Promise.resolve(undefined)
  const send = await beside(listener, (each) => (judging = each), broken)
  return async (request: RawRequest) => ({ answer: await send(request), verdict: await judging })
}

interface Vector {
  readonly name: string
  readonly method: string
  readonly requestUrl?: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body?: string
  readonly bodyBase64?: string
  readonly options?: VectorOptions
  readonly expect: { readonly ok: boolean; readonly reason?: string }
}

interface VectorOptions {
  readonly secrets: string | readonly { readonly id: string; readonly secret: string }[]
  readonly publicUrl?: string
}

interface VectorFile {
  readonly options: VectorOptions
  readonly now: number
  readonly cases: readonly Vector[]
}

const root = new URL('../../', import.meta.url)
const vectorsOf = (name: string): VectorFile =>
  JSON.parse(readFileSync(new URL(`test/vectors/schemes/${name}.json`, root), 'utf8'))

/** Bun takes no module from a `data:` URL. */
async function importText(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-recipe-'))
  try {
    writeFileSync(join(folder, 'recipe.mjs'), text)
    return await import(/* @vite-ignore */ pathToFileURL(join(folder, 'recipe.mjs')).href)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The recipe, as the page prints it. */
const page = readFileSync(new URL('docs/migrate/beside-the-old-check.md', root), 'utf8')
const recipe = /^```js\n(.*?)^```$/ms.exec(page)?.[1] ?? ''
const { compare }: { compare(what: string, isAccepted: boolean, judging: unknown): Promise<void> } =
  await importText(recipe)

afterEach(() => void vi.restoreAllMocks())

describe.each(Object.entries(OLD))('observeWebhook beside an old check in %s', (name, beside) => {
  it('the verdict is told with enforced: false and returned, claims nothing, and its event cannot be settled', async () => {
    const { listener, heard, errors, calls } = stripeListener()
    const send = await started(beside, listener)
    const { answer, verdict } = await send(await delivery())
    expect(answer).toBe('old false')
    expect(heard).toEqual([{ verdict, context: expect.objectContaining({ enforced: false }) }])
    expect(verdict).toMatchObject({ ok: true, event: { id: 'evt_1', type: 'invoice.paid' } })
    const event = verdict?.ok ? verdict.event : undefined
    expect(await event?.commit()).toBe('lost')
    expect(await event?.release()).toBe(false)
    expect(event?.signal.aborted).toBe(false)
    expect([calls, errors]).toEqual([[], []])
  })

  it.each(['stripe', 'github', 'slack', 'twilio'])('every vector of %s gets its verdict', async (sender) => {
    const { options, now, cases } = vectorsOf(sender)
    const factory = await schemeFactory(sender)
    const isWeb = /web|fetch/.test(name)
    for (const vector of cases) {
      // A framework may not read the body of a GET, and a web request joins headers: the tests of the scheme judge these.
      if (vector.method === 'GET' || (isWeb && vector.headers.some(([, value]) => value.includes(', '))))
        continue
      const given = { ...options, ...vector.options }
      const { listener } = stripeListener({ auth: factory(given), clock: { now: () => now * 1000 } })
      const { pathname, search } = new URL(vector.requestUrl ?? given.publicUrl ?? 'http://localhost/hook')
      const body = Buffer.from(vector.bodyBase64 ?? vector.body ?? '', vector.bodyBase64 ? 'base64' : 'utf8')
      const { method, headers } = vector
      const send = await started(beside, listener)
      const { verdict } = await send({ method, path: pathname + search, headers, body })
      expect({ ok: verdict?.ok, reason: verdict?.reason }, vector.name).toEqual({
        ok: vector.expect.ok,
        reason: vector.expect.reason,
      })
    }
  })

  it('a delivery that would be refused goes to the console, if the listener has no hook', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { listener } = stripeListener({ id: `beside ${name}`, onVerdict: undefined })
    const send = await started(beside, listener)
    expect((await send(await delivery('{"id":"evt_2"}'))).answer).toBe('old false')
    await expect.poll(() => warn).toHaveBeenCalledOnce()
    expect(warn.mock.lastCall?.[0]).toContain('would refuse a delivery: signature_mismatch')
  })

  it('a handshake is judged, and onHandshake hears nothing', async () => {
    const onHandshake = vi.fn()
    const { listener, heard } = stripeListener({ auth: asana({ onHandshake }) })
    const send = await started(beside, listener)
    const headers: RawRequest['headers'] = [
      ['X-Hook-Secret', 'b0e8f6a4c2d19375'],
      ['Content-Type', 'application/json'],
    ]
    const { answer, verdict } = await send({ ...(await delivery('{}')), headers })
    expect([answer, verdict?.ok, heard.length]).toEqual(['old false', false, 1])
    expect(verdict).toMatchObject({ handshake: true })
    expect(onHandshake).not.toHaveBeenCalled()
  })

  it('a body over the limit is named', async () => {
    const { listener } = stripeListener({ maxBodyBytes: 10 })
    const { answer, verdict } = await (await started(beside, listener))(await delivery())
    expect([answer, verdict?.reason]).toEqual(['old false', 'body_too_large'])
  })

  it.each([
    ['a parsed payload', () => ({ id: 'evt_1' })],
    ['nothing', () => undefined],
    ['null', () => null],
    ['a list of bytes', (bytes: Uint8Array) => [...bytes]],
  ])('%s in place of the bytes is told to onError, with what to pass', async (_, broken) => {
    const { listener, errors, heard } = stripeListener()
    const { answer, verdict } = await (await started(beside, listener, broken))(await delivery())
    expect([answer, verdict, heard]).toEqual(['old false', undefined, []])
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'ERR_LISTENER_CONFIG',
        message: expect.stringMatching(/^rawBody: must be the bytes or the text that your own check hashes/),
      }),
    ])
  })

  it.each([
    ['their text', (bytes: Uint8Array) => Buffer.from(bytes).toString()],
    ['an ArrayBuffer', (bytes: Uint8Array) => new Uint8Array(bytes).buffer],
    ['bytes of another realm', (bytes: Uint8Array) => runInNewContext(`new Uint8Array([${[...bytes]}])`)],
  ])('%s in place of the bytes is as good', async (_, broken) => {
    const { listener } = stripeListener()
    const { verdict } = await (await started(beside, listener, broken))(await delivery())
    expect(verdict?.ok).toBe(true)
  })

  it('a clock, a hook and a console that throw change nothing', async () => {
    const fail = () => {
      throw new Error('of the app')
    }
    vi.spyOn(console, 'warn').mockImplementation(fail)
    for (const options of [{ clock: { now: fail } }, { onVerdict: fail }, { onVerdict: undefined }]) {
      const { listener } = stripeListener({ onError: fail, ...options })
      for (const sent of [BODY, '{}']) {
        expect((await (await started(beside, listener))(await delivery(sent))).answer).toBe('old false')
      }
    }
  })

  it('a key host that is away is told once, and there is no verdict', async () => {
    const fetch = () => Promise.reject(new Error('away'))
    const keySet = remoteKeySet('https://keys.example/jwks', { fetch })
    const auth = jwt({ keySet, subject: 'https://tenant.example', audience: 'https://tenant.example/hook' })
    const { listener, errors } = stripeListener({ auth })
    const { verdict } = await (await started(beside, listener))(await delivery())
    expect(verdict?.reason ?? errors).toBeDefined()
  })
})

it.each([
  ['Express', () => onExpress({ id: 'L1' } as never, {} as never, BODY)],
  ['Fastify', () => onFastify({ id: 'L1' } as never, {} as never, BODY)],
  ['Hono', () => onHono({ id: 'L1' } as never, {} as never, BODY)],
  ['the web', () => onWeb({ id: 'L1' } as never, {} as never, BODY)],
])('in %s, what is no listener is told on the console, and throws nothing', async (_, observe) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  expect(await observe()).toBeUndefined()
  expect(warn.mock.calls.length).toBeLessThanOrEqual(1)
})

describe('the source', () => {
  const allowed = { allowedCidrs: ['192.0.2.0/24'] }
  const request = async () => webRequest(await delivery())

  it('a listener with allowedCidrs needs a source, and onError says so', async () => {
    const { listener, errors } = stripeListener(allowed)
    expect(await onWeb(listener, await request(), BODY)).toBeUndefined()
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringMatching(/^sourceIp: /) })])
  })

  it('a source that is given is judged', async () => {
    const { listener } = stripeListener(allowed)
    expect(await onWeb(listener, await request(), BODY, { sourceIp: '192.0.2.1' })).toMatchObject({
      ok: true,
    })
    expect(await onWeb(listener, await request(), BODY, { sourceIp: '198.51.100.1' })).toMatchObject({
      reason: 'source_ip_not_allowed',
    })
  })

  it('the address in front of the trusted proxies is judged', async () => {
    const { listener } = stripeListener(allowed)
    const verdicts: (Verdict | undefined)[] = []
    const app = express().post('/hook', express.raw({ type: () => true }), async (request, response) => {
      verdicts.push(
        await onExpress(listener, request, request.body, { trustedProxies: ['127.0.0.0/8', '::1/128'] }),
      )
      response.send('old')
    })
    const { address } = await serve(app)
    const { headers, ...rest } = await delivery()
    for (const ip of ['192.0.2.7', '198.51.100.7']) {
      await exchange(address, toBytes({ ...rest, headers: [...headers, ['X-Forwarded-For', ip]] }))
    }
    expect(verdicts.map((verdict) => verdict?.reason ?? 'accepted')).toEqual([
      'accepted',
      'source_ip_not_allowed',
    ])
  })

  it('trusted proxies that are wrong are told to onError, and change nothing', async () => {
    const { listener, errors } = stripeListener(allowed)
    const app = express().post('/hook', express.raw({ type: () => true }), async (request, response) => {
      await onExpress(listener, request, request.body, { trustedProxies: ['0.0.0.0/0'] })
      response.send('old')
    })
    const { address } = await serve(app)
    expect((await exchange(address, toBytes(await delivery())))?.body).toBe('old')
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/^trustedProxies\[0\]: /) }),
    ])
  })
})

describe('compare of the page', () => {
  const genuine = { ok: true }
  const refused = { ok: false, reason: 'signature_mismatch', detail: 'why' }
  const handshake = { ok: false, handshake: true }
  it.each([
    [true, genuine, undefined],
    [true, handshake, undefined],
    [false, refused, undefined],
    [true, undefined, undefined],
    [false, undefined, undefined],
    [true, refused, '/hook: accepted, hookgate: signature_mismatch: why'],
    [false, genuine, '/hook: refused, hookgate: accepted'],
  ])('a check that says %j beside %j prints %j', async (isAccepted, verdict, line) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await compare('/hook', isAccepted, Promise.resolve(verdict))
    expect(warn.mock.calls).toEqual(line === undefined ? [] : [[line]])
  })
})

it('the work can be kept alive after the answer, as by waitUntil', async () => {
  const { listener, heard } = stripeListener()
  const works: Promise<unknown>[] = []
  const app = new Hono().post('/hook', async (c) => {
    works.push(onHono(listener, c, await c.req.text()))
    return c.text('old')
  })
  expect(await (await app.request(webRequest(await delivery()))).text()).toBe('old')
  await Promise.all(works)
  expect(heard).toHaveLength(1)
})

it('options of plain JavaScript that are null are none', async () => {
  const { listener, heard } = stripeListener()
  const { headers, body } = await delivery()
  const node = { method: 'POST', url: '/hook', rawHeaders: headers.flat(), socket: {} }
  for (const judge of [
    () => onExpress(listener, node as never, body, null as never),
    () => onFastify(listener, { raw: node } as never, body, null as never),
  ])
    expect(await judge()).toMatchObject({ ok: true })
  expect(heard).toHaveLength(2)
})
