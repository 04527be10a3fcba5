import Fastify, { type FastifyServerOptions } from 'fastify'
import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../adapters/fastify.ts'
import { ListenerConfigError, type ListenerOptions } from '../../src/index.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serveFastify } from '../support/servers.ts'

const ALLOWED = '192.0.2.1'
const STRANGER = '203.0.113.9'
const ALLOWED_CIDRS = ['192.0.2.0/24']

interface Differing {
  readonly options?: Partial<ListenerOptions>
  readonly trustedProxies?: readonly string[]
}

type TrustProxy = NonNullable<FastifyServerOptions['trustProxy']>

/** A guarded route on an app that trusts these proxies. */
async function serve(
  trustProxy: TrustProxy,
  { options = { allowedCidrs: ALLOWED_CIDRS }, trustedProxies }: Differing = {},
) {
  const { listener, request } = hmacEndpoint(options)
  const errors: unknown[] = []
  const app = Fastify({ trustProxy })
  app.setErrorHandler((error, _request, reply) => {
    errors.push(error)
    return reply.code(500).send('')
  })
  app.register(async (scope) => {
    await scope.register(verifyWebhook, { listener, trustedProxies })
    scope.post('/hook', async () => 'ok')
  })
  const { address } = await serveFastify(app)
  /** The status of a delivery through one proxy, which wrote this header. */
  const send = async (forwardedFor: string) => {
    const sent = await request({ headers: { 'x-forwarded-for': forwardedFor } })
    return (await exchange(address, toBytes(sent)))?.status
  }
  return { send, errors }
}

describe('the source address on Fastify', () => {
  it('the source address is the socket as long as no proxy is trusted', async () => {
    const { send, errors } = await serve(false)
    expect([await send(ALLOWED), errors]).toEqual([403, []])
  })

  it.each<[TrustProxy]>([['127.0.0.0/8'], [['127.0.0.1']], [(_address, hop) => hop === 0]])(
    'the source address is found by trustProxy: %j',
    async (trustProxy) => {
      const { send } = await serve(trustProxy)
      expect(await send(ALLOWED)).toBe(200)
      expect(await send(`${STRANGER}, ${ALLOWED}`)).toBe(200)
      expect(await send(`${ALLOWED}, ${STRANGER}`)).toBe(403)
    },
  )

  it.each<[string, TrustProxy]>([
    ['true', true],
    ['a function that trusts everyone', () => true],
    ['all of IPv4', '0.0.0.0/1, 128.0.0.0/1'],
    ['all of IPv4 in quarters', ['0.0.0.0/2', '64.0.0.0/2', '128.0.0.0/2', '192.0.0.0/2']],
    ['all of IPv6', ['127.0.0.1', '::/1', '8000::/1']],
    ['all of IPv6 that is in use', ['127.0.0.1', '2000::/3']],
  ])('a trustProxy of %s is an error of the developer', async (_, trustProxy) => {
    const { send, errors } = await serve(trustProxy)
    expect([await send(ALLOWED), await send(ALLOWED)]).toEqual([500, 500])
    expect(errors).toEqual([expect.any(ListenerConfigError), expect.any(ListenerConfigError)])
    expect(String(errors[0])).toMatch(/trustProxy: .*list your proxies/)
  })

  it('trustProxy may be anything if no addresses are checked', async () => {
    const { send, errors } = await serve(true, { options: {} })
    expect([await send(STRANGER), errors]).toEqual([200, []])
  })

  it('the source address is found by trustedProxies, whatever trustProxy says', async () => {
    const { send, errors } = await serve(true, { trustedProxies: ['127.0.0.0/8'] })
    expect([await send(ALLOWED), await send(`${ALLOWED}, ${STRANGER}`), errors]).toEqual([200, 403, []])
  })

  it('trustProxy is tested with made-up senders once, and not per request', async () => {
    const asked: string[] = []
    const { send } = await serve((address) => {
      asked.push(address)
      return address === '127.0.0.1'
    })
    await send(ALLOWED)
    const first = asked.length
    await send(ALLOWED)
    const second = asked.length
    await send(ALLOWED)
    expect(asked.length - second).toBe(second - first)
    expect(asked.slice(first)).not.toContainEqual(expect.stringMatching(/^(198|2001)/))
  })
})
