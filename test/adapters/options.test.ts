import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import { Hono, type MiddlewareHandler } from 'hono'
import { describe, expect, it } from 'vitest'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { webhookHandler } from '../../adapters/web.ts'
import { ListenerConfigError } from '../../src/index.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'

const { listener } = hmacEndpoint()

const NOT_CALLED =
  'ListenerConfigError: verifyWebhook: was passed as a function; call it: verifyWebhook(listener)'

type Mount = (target: unknown, options?: object) => unknown

/** The types forbid this, but plain JavaScript allows it. */
const ADAPTERS: readonly (readonly [string, Mount])[] = [
  ['Express', (target, options) => onExpress(target as never, options)],
  ['Hono', (target, options) => onHono(target as never, options)],
  [
    'Fastify',
    (target, options) =>
      Fastify()
        .register(onFastify, { listener: target, ...options } as never)
        .ready(),
  ],
]

describe.each(ADAPTERS)('the options of verifyWebhook on %s', (_, mount) => {
  /** Expects an error at construction that names the option. */
  async function mistake(target: unknown, options?: object): Promise<unknown> {
    try {
      await mount(target, options)
    } catch (error) {
      expect(error).toBeInstanceOf(ListenerConfigError)
      return String(error)
    }
    throw new Error('nothing was thrown')
  }

  it('verifyWebhook accepts a listener, and a function that finds one', async () => {
    await expect(Promise.resolve(mount(listener))).resolves.toBeDefined()
    await expect(Promise.resolve(mount(() => listener))).resolves.toBeDefined()
  })

  it('verifyWebhook accepts every option with undefined for its value', async () => {
    const options = {
      bodyTimeoutSeconds: undefined,
      maxConcurrentBodies: undefined,
      maxConcurrentBytes: undefined,
      trustedProxies: undefined,
    }
    await expect(Promise.resolve(mount(listener, options))).resolves.toBeDefined()
  })

  it.each(['allowedCidr', 'bodyTimeout', 'TrustedProxies', 'maxBodyBytes', 'store'])(
    'verifyWebhook refuses an option %s, which it does not have',
    async (name) => {
      expect(await mistake(listener, { [name]: 1 })).toMatch(`${name}: verifyWebhook has no such option`)
    },
  )

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '10', null])(
    'a bodyTimeoutSeconds of %s is refused',
    async (value) => {
      expect(await mistake(listener, { bodyTimeoutSeconds: value })).toMatch('bodyTimeoutSeconds')
    },
  )

  it.each([0, -1, 1.5, Number.NaN, '10'])('a maxConcurrentBodies of %s is refused', async (value) => {
    expect(await mistake(listener, { maxConcurrentBodies: value })).toMatch('maxConcurrentBodies')
  })

  it.each([0, -1, 1.5, Number.NaN, '10'])('a maxConcurrentBytes of %s is refused', async (value) => {
    expect(await mistake(listener, { maxConcurrentBytes: value })).toMatch('maxConcurrentBytes')
  })

  it('verifyWebhook refuses a maxConcurrentBytes that one body could exceed, and accepts one that it cannot', async () => {
    expect(await mistake(listener, { maxConcurrentBytes: 65_535 })).toBe(
      'ListenerConfigError: maxConcurrentBytes: must be at least maxBodyBytes of the listener, which is 65536',
    )
    await expect(Promise.resolve(mount(listener, { maxConcurrentBytes: 65_536 }))).resolves.toBeDefined()
  })

  it.each([[[]], [['10/8']], [['10.0.0.5/8']], ['10.0.0.0/8'], [[1]], [null], [''], [false]])(
    'verifyWebhook refuses trustedProxies of %j',
    async (value) => {
      expect(await mistake(listener, { trustedProxies: value })).toMatch('trustedProxies')
    },
  )

  it.each([undefined, null, {}, 'L1', { ...hmacEndpoint, id: 'L1' }])(
    'verifyWebhook refuses a listener that is %s',
    async (value) => {
      expect(await mistake(value)).toMatch('listener: must come from defineListener()')
    },
  )
})

describe.each<readonly [string, Mount]>([
  ['verifyWebhook on Express', onExpress as unknown as Mount],
  ['verifyWebhook on Hono', onHono as unknown as Mount],
  ['webhookHandler', (target, options) => webhookHandler(target as never, () => {}, options as never)],
])('the options argument of %s', (_, mount) => {
  it.each([null, 5, 'x', true])('the options argument is refused when it is %s', (options) => {
    expect(() => mount(listener, options as never)).toThrow(ListenerConfigError)
    expect(() => mount(listener, options as never)).toThrow('takes an object of options')
  })

  it('the options argument may be undefined', () => {
    expect(mount(listener, undefined)).toBeTypeOf('function')
  })
})

describe('verifyWebhook mounted without calling it', () => {
  it.each([
    ['Express 5', express],
    ['Express 4', express4],
  ])('an uncalled verifyWebhook on %s reaches the error handler, with the fix', async (_, create) => {
    const app = create()
    const errors: unknown[] = []
    app.use(onExpress as unknown as RequestHandler)
    const onError: ErrorRequestHandler = (error, _request, response, _next) => {
      errors.push(error)
      response.status(500).end()
    }
    app.use(onError)
    const { address } = await serve(app)
    expect((await exchange(address, toBytes(await hmacEndpoint().request())))?.status).toBe(500)
    expect(errors.map(String)).toEqual([NOT_CALLED])
  })

  it('an uncalled verifyWebhook on Hono reaches the error handler, with the fix', async () => {
    const app = new Hono()
    const errors: unknown[] = []
    app.onError((error, c) => {
      errors.push(error)
      return c.body(null, 500)
    })
    app.post('/hook', onHono as unknown as MiddlewareHandler)
    expect((await app.request('/hook', { method: 'POST', body: '{}' })).status).toBe(500)
    expect(errors.map(String)).toEqual([NOT_CALLED])
  })

  it('an uncalled webhookHandler gives the same fix', () => {
    const mounted = webhookHandler as unknown as Mount
    expect(() => mounted(new Request('http://localhost/'), {})).toThrow(
      'webhookHandler: was passed as a function; call it: webhookHandler(listener, handler)',
    )
  })
})
