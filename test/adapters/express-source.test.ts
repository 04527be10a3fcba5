import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../adapters/express.ts'
import { ListenerConfigError, type ListenerOptions } from '../../src/index.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'
import { FRAMEWORKS, keeper, running } from './express-app.ts'

const ALLOWED = '192.0.2.1'
const STRANGER = '203.0.113.9'
const ALLOWED_CIDRS = ['192.0.2.0/24']

/** RFC 6890, with the networks for documentation. */
const UNROUTED =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4'.split(
    ' ',
  )
const UNROUTED_STARTS = /^(?:10|127|192\.0\.2|192\.168|198\.18|198\.51\.100|203\.0\.113)\./

interface Differing {
  readonly options?: Partial<ListenerOptions>
  readonly trustedProxies?: readonly string[]
}

describe.each(FRAMEWORKS)('the source address on %s', (_, create) => {
  /** The status of a delivery through one proxy, which wrote this header. */
  async function deliver(
    trustProxy: unknown,
    forwardedFor: string,
    { options = { allowedCidrs: ALLOWED_CIDRS }, trustedProxies }: Differing = {},
  ) {
    const { listener, request } = hmacEndpoint(options)
    const { handler, events } = keeper()
    const { send, errors } = await running(create, (app) => {
      app.set('trust proxy', trustProxy)
      app.post('/hook', verifyWebhook(listener, { trustedProxies }), handler)
    })
    const status = await send(await request({ headers: { 'x-forwarded-for': forwardedFor } }))
    expect(events).toHaveLength(status === 200 ? 1 : 0)
    return { status, errors }
  }

  it('the source address is the socket as long as no proxy is trusted', async () => {
    expect((await deliver(false, ALLOWED)).status).toBe(403)
  })

  it.each(['loopback', '127.0.0.0/8', ['127.0.0.1'], 1])(
    'the source address is found by `trust proxy` = %j',
    async (trustProxy) => {
      expect((await deliver(trustProxy, ALLOWED)).status).toBe(200)
      expect((await deliver(trustProxy, `${STRANGER}, ${ALLOWED}`)).status).toBe(200)
    },
  )

  it.each(['loopback', '127.0.0.0/8', ['127.0.0.1'], 1])(
    'the source address cannot be forged by a stranger with `trust proxy` = %j',
    async (trustProxy) => {
      expect((await deliver(trustProxy, `${ALLOWED}, ${STRANGER}`)).status).toBe(403)
    },
  )

  it.each([
    ['true', true],
    ['a function that trusts everyone', () => true],
    ['more proxies than anyone has', 64],
    ['all of IPv4', '0.0.0.0/1, 128.0.0.0/1'],
    ['all of IPv4 in quarters', ['0.0.0.0/2', '64.0.0.0/2', '128.0.0.0/2', '192.0.0.0/2']],
    ['all of IPv4, out of order', Array.from({ length: 256 }, (_, index) => `${(index * 37) % 256}.0.0.0/8`)],
    ['all of IPv4, mapped into IPv6', ['127.0.0.1', '::ffff:0:0/97', '::ffff:128.0.0.0/97']],
    [
      'a function that trusts whatever is mapped into IPv6',
      (address: string) => address === '127.0.0.1' || address.startsWith('::ffff:'),
    ],
    ['all of IPv6', ['127.0.0.1', '::/1', '8000::/1']],
    ['all of IPv6 that is in use', ['loopback', '2000::/3']],
  ])('a `trust proxy` of %s is an error of the developer', async (_name, trustProxy) => {
    const { status, errors } = await deliver(trustProxy, ALLOWED)
    expect(status).toBe(500)
    expect(errors).toEqual([expect.any(ListenerConfigError)])
    expect(String(errors[0])).toMatch(/trust proxy.*list your proxies/)
  })

  it.each([
    ['some of IPv4', ['127.0.0.0/8', '198.51.100.0/24', '192.0.2.0/25']],
    ['networks that the Internet does not route', UNROUTED],
    ['a function that trusts those', (address: string) => UNROUTED_STARTS.test(address)],
    [
      'a function that throws for a stranger',
      (address: string) => {
        if (address === '127.0.0.1') return true
        if (address === ALLOWED) return false
        throw new Error(`who is ${address}?`)
      },
    ],
    ['a function that trusts the nearest', (_address: string, hop: number) => hop === 0],
  ])('a `trust proxy` of %s is none', async (_name, trustProxy) => {
    expect(
      (await deliver(trustProxy, ALLOWED, { options: { allowedCidrs: ['192.0.2.0/24'] } })).errors,
    ).toEqual([])
  })

  it('a `trust proxy` function is tested with made-up senders once, and again when it is replaced', async () => {
    const { listener, request } = hmacEndpoint({ allowedCidrs: ALLOWED_CIDRS })
    const asked: string[] = []
    const nearest = (address: string) => {
      asked.push(address)
      return address === '127.0.0.1'
    }
    const app = create().set('env', 'test').set('trust proxy', nearest)
    app.post('/hook', verifyWebhook(listener), (_request, response) => void response.end())
    const { address } = await serve(app)
    const send = async () => {
      const sent = await request({ headers: { 'x-forwarded-for': ALLOWED } })
      return (await exchange(address, toBytes(sent)))?.status
    }
    const counts: number[] = []
    for (let delivery = 0; delivery < 3; delivery += 1) {
      expect(await send()).toBe(200)
      counts.push(asked.length)
    }
    const [first = 0, second = 0, third = 0] = counts
    expect(third - second).toBe(second - first)
    expect(asked.slice(first)).not.toContainEqual(expect.stringMatching(/^(198|2001)/))
    app.set('trust proxy', () => true)
    expect(await send()).toBe(500)
  })

  it('`trust proxy` may be anything if no addresses are checked', async () => {
    expect((await deliver(true, STRANGER, { options: {} })).status).toBe(200)
  })

  it('the source address is found by trustedProxies instead of `trust proxy`, when they are given', async () => {
    const trustedProxies = ['127.0.0.0/8']
    expect((await deliver(true, `${STRANGER}, ${ALLOWED}`, { trustedProxies })).status).toBe(200)
    expect((await deliver(true, `${ALLOWED}, ${STRANGER}`, { trustedProxies })).status).toBe(403)
  })

  it('the source address is also found in a router', async () => {
    const { listener, request } = hmacEndpoint({ allowedCidrs: ALLOWED_CIDRS })
    const { errors, send } = await running(create, (app) => {
      app.set('trust proxy', true)
      app.use('/', create.Router().post('/hook', verifyWebhook(listener)))
    })
    expect(await send(await request({ headers: { 'x-forwarded-for': ALLOWED } }))).toBe(500)
    expect(errors).toEqual([expect.any(ListenerConfigError)])
  })
})
