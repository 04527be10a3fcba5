import { AsyncLocalStorage } from 'node:async_hooks'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { Log } from '../support/log.ts'
import { toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'
import { MOUNTED } from './mounted.ts'

/**
 * Tracing and loggers depend on this context. Each request has its own, opened before verifyWebhook.
 */
const context = new AsyncLocalStorage<string>()

describe.each(Object.entries(MOUNTED))('%s', (_, mount) => {
  it('the adapter runs the handler in the async context of its request, even if the body came later among others', async () => {
    const endpoint = hmacEndpoint()
    const names = new Log<string | undefined>()
    const app = await mount(endpoint.listener, async () => {
      names.add(context.getStore())
      return 200
    })
    const { address } = await serve((request, response) =>
      context.run(`trace ${request.headers['x-trace']}`, () => app(request, response)),
    )
    const parts = await Promise.all(['1', '2'].map(async (name) => inTwoParts(await tracedRequest(name))))
    const sockets = parts.map(() => connect(address))
    for (const [index, [head]] of parts.entries()) sockets[index]?.write(head)
    for (const [index, [, body]] of [...parts.entries()].toReversed()) {
      await new Promise((turn) => setImmediate(turn))
      sockets[index]?.write(body)
    }
    await names.reaches(2)
    for (const socket of sockets) socket.destroy()
    expect(names.entries.toSorted()).toEqual(['trace 1', 'trace 2'])

    async function tracedRequest(name: string) {
      const request = await endpoint.request()
      return toBytes({ ...request, headers: [...request.headers, ['x-trace', name]] })
    }
  })
})

function inTwoParts(bytes: Buffer): readonly [head: Buffer, body: Buffer] {
  const end = bytes.indexOf('\r\n\r\n') + 4
  return [bytes.subarray(0, end), bytes.subarray(end)]
}
