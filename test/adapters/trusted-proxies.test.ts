import Fastify from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { behindProxies } from '../../adapters/kit/index.ts'
import { ListenerConfigError } from '../../src/index.ts'
import { hmacEndpoint } from '../support/sender.ts'

const { listener } = hmacEndpoint({ allowedCidrs: ['192.0.2.0/24'] })

/** Everything that takes a list of networks of proxies, of the sender's making or not. */
const TAKERS: { readonly [name: string]: (trustedProxies: readonly string[]) => unknown } = {
  behindProxies,
  Express: (trustedProxies) => onExpress(listener, { trustedProxies }),
  Fastify: (trustedProxies) => {
    const app = Fastify()
    onTestFinished(() => app.close())
    return app.register(onFastify, { listener, trustedProxies })
  },
  Hono: (trustedProxies) => onHono(listener, { trustedProxies }),
}

describe.each(Object.entries(TAKERS))('trustedProxies of %s', (_name, take) => {
  it.each([
    [['0.0.0.0/1', '128.0.0.0/1']],
    [['128.0.0.0/1', '10.0.0.0/8', '0.0.0.0/1']],
    [['0.0.0.0/2', '64.0.0.0/2', '128.0.0.0/2', '192.0.0.0/2']],
    [['::ffff:0.0.0.0/97', '::ffff:128.0.0.0/97']],
    [['::/1', '8000::/1']],
    [['10.0.0.0/8', '2000::/3']],
  ])('%j throws, which together are everyone', async (rules) => {
    const taking = (async () => take(rules))()
    await expect(taking).rejects.toThrow(ListenerConfigError)
    await expect(taking).rejects.toThrow(
      'trustedProxies: lets every sender choose its address; list your proxies instead',
    )
  })

  it.each([
    [['0.0.0.0/1']],
    [['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fd00::/8']],
    [['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20']],
  ])('%j is taken, which are not', async (rules) => {
    await take(rules)
  })
})
