import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { ListenerConfigError } from '../../src/index.ts'
import { hmacEndpoint } from './sender.ts'

const { listener } = hmacEndpoint()

type Mount = (target: unknown, options?: object) => unknown

/** What the types forbid is the point here: plain JavaScript can do it. */
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
  /** What the mistake is answered with: an error at construction, and the option that it names. */
  async function mistake(target: unknown, options?: object): Promise<unknown> {
    try {
      await mount(target, options)
    } catch (error) {
      expect(error).toBeInstanceOf(ListenerConfigError)
      return String(error)
    }
    throw new Error('nothing was thrown')
  }

  it('accepts a listener, and a function that finds one', async () => {
    await expect(Promise.resolve(mount(listener))).resolves.toBeDefined()
    await expect(Promise.resolve(mount(() => listener))).resolves.toBeDefined()
  })

  it('accepts every option with undefined for its value', async () => {
    const options = {
      bodyTimeoutSeconds: undefined,
      maxConcurrentBodies: undefined,
      trustedProxies: undefined,
    }
    await expect(Promise.resolve(mount(listener, options))).resolves.toBeDefined()
  })

  it.each(['allowedCidr', 'bodyTimeout', 'TrustedProxies', 'maxBodyBytes', 'store'])(
    'P13 refuses an option %s, which it does not have',
    async (name) => {
      expect(await mistake(listener, { [name]: 1 })).toMatch(`${name}: verifyWebhook has no such option`)
    },
  )

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '10', null])(
    'P13 refuses a bodyTimeoutSeconds of %s',
    async (value) => {
      expect(await mistake(listener, { bodyTimeoutSeconds: value })).toMatch('bodyTimeoutSeconds')
    },
  )

  it.each([0, -1, 1.5, Number.NaN, '10'])('P13 refuses a maxConcurrentBodies of %s', async (value) => {
    expect(await mistake(listener, { maxConcurrentBodies: value })).toMatch('maxConcurrentBodies')
  })

  it.each([[[]], [['10/8']], [['10.0.0.5/8']], ['10.0.0.0/8'], [[1]]])(
    'I13 I15 I17 refuses trustedProxies of %j',
    async (value) => {
      expect(await mistake(listener, { trustedProxies: value })).toMatch('trustedProxies')
    },
  )

  it.each([undefined, null, {}, 'L1', { ...hmacEndpoint, id: 'L1' }])(
    'P14 refuses a listener that is %s',
    async (value) => {
      expect(await mistake(value)).toMatch('listener: must come from defineListener()')
    },
  )
})

it.each([
  ['Express', onExpress],
  ['Hono', onHono],
])('says on %s that a listener is wanted where verifyWebhook itself was mounted', (_, verifyWebhook) => {
  const mounted = verifyWebhook as unknown as Mount
  expect(() => mounted({ method: 'POST' }, { statusCode: 200 })).toThrow(
    'listener: must come from defineListener()',
  )
})
