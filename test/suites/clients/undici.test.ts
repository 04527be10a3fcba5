import type { LookupFunction } from 'node:net'
import { Agent, buildConnector, fetch } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { publicConnector } from '../../../src/sender/index.ts'
import { endpoint } from '../../sender/endpoint.ts'

/** Resolves every name to this machine. */
const lookup: LookupFunction = (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])

function guarded(options: Parameters<typeof publicConnector>[1]): Agent {
  const dispatcher = new Agent({ connect: publicConnector(buildConnector, options) })
  onTestFinished(() => dispatcher.close())
  return dispatcher
}

async function countingEndpoint(location?: string) {
  let requests = 0
  const { port } = await endpoint((_, response) => {
    requests += 1
    response.writeHead(location === undefined ? 200 : 307, location === undefined ? {} : { location }).end()
  })
  return { port, requests: () => requests }
}

const REFUSED = expect.objectContaining({ cause: expect.objectContaining({ code: 'ERR_ADDRESS_REFUSED' }) })

it.each(['127.0.0.1', '[::1]', '2130706433', 'endpoint.example'])(
  'the fetch of undici does not reach a server of this machine as %s',
  async (host) => {
    const { port, requests } = await countingEndpoint()
    await expect(fetch(`http://${host}:${port}/`, { dispatcher: guarded({ lookup }) })).rejects.toEqual(
      REFUSED,
    )
    expect(requests()).toBe(0)
  },
)

it('an address is reached where you allow its network', async () => {
  const { port } = await countingEndpoint()
  const dispatcher = guarded({ lookup, allow: ['127.0.0.1/32'] })
  const { status } = await fetch(`http://endpoint.example:${port}/`, { dispatcher })
  expect(status).toBe(200)
})

it('a name is asked for once, and the judged address connected to; the next connection is judged anew', async () => {
  const { port, requests } = await countingEndpoint()
  const answers = ['127.0.0.1', '127.0.0.2']
  let asked = 0
  const changing: LookupFunction = (_, __, callback) => {
    callback(null, [{ address: answers[asked] ?? '127.0.0.2', family: 4 }])
    asked += 1
  }
  const options = { lookup: changing, allow: ['127.0.0.1/32'] }
  const send = () => fetch(`http://endpoint.example:${port}/`, { dispatcher: guarded(options) })
  expect((await send()).status).toBe(200)
  expect(asked).toBe(1)
  await expect(send()).rejects.toEqual(REFUSED)
  expect(requests()).toBe(1)
})

it('a redirect to an address that is not public is not followed', async () => {
  const hidden = await countingEndpoint()
  const { port, requests } = await countingEndpoint(`http://127.0.0.2:${hidden.port}/`)
  const dispatcher = guarded({ allow: ['127.0.0.1/32'] })
  await expect(fetch(`http://127.0.0.1:${port}/`, { dispatcher })).rejects.toEqual(REFUSED)
  expect([requests(), hidden.requests()]).toEqual([1, 0])
})
