import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSending as startBullmq } from '../../../examples/queues/bullmq.ts'
import { startSending as startGraphileWorker } from '../../../examples/queues/graphile-worker.ts'
import { startSending as startPgBoss } from '../../../examples/queues/pg-boss.ts'
import { type Endpoint, publicOnly } from '../../../src/sender/index.ts'
import { startRedis } from '../../support/redis-server.ts'
import { postgresUrl } from './postgres-url.ts'

interface Sender {
  send(webhook: { endpointId: string; event: { id: string; body: string } }): Promise<void>
  stop(): Promise<void>
}

interface Hooks {
  readonly endpointOf: (endpointId: string) => Promise<Endpoint>
  readonly onGone: (endpointId: string) => Promise<void>
}

const options = { agents: publicOnly({ allow: ['127.0.0.1/32'] }) }

const QUEUES: { readonly [name: string]: (hooks: Hooks) => Promise<Sender> } = {
  async BullMQ(hooks) {
    const server = await startRedis()
    onTestFinished(() => server.close())
    return startBullmq({ ...hooks, options, connection: { host: '127.0.0.1', port: server.port } })
  },
  async 'pg-boss'(hooks) {
    return startPgBoss({ ...hooks, options, connectionString: await postgresUrl() })
  },
  async 'graphile-worker'(hooks) {
    return startGraphileWorker({ ...hooks, options, connectionString: await postgresUrl() })
  },
}

/** An answer of the endpoint: its status, headers and `code`. */
type Answer = readonly [status: number, headers?: Readonly<Record<string, string>>, code?: string]

/** Longer than the first delay of the schedule can be. */
const SEVEN_SECONDS = { 'retry-after': '7' }
const OK: Answer = [200]

/** The answers of each event's endpoint, in this order. */
const STORIES: { readonly [path: string]: readonly Answer[] } = {
  '/in-progress': [[503, SEVEN_SECONDS, 'event_in_progress'], OK],
  '/conflict': [[409, SEVEN_SECONDS], OK],
  '/duplicate': [[409, {}, 'event_duplicate'], OK],
  '/moved': [[302, { location: '/duplicate' }], OK],
  '/unauthorized': [[401, {}, 'unauthorized'], OK],
  '/gone': [[410], OK],
  '/failed': [[500], OK],
}

async function storyTeller() {
  const attempts = new Map<string, number[]>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const times = attempts.get(path) ?? []
    attempts.set(path, [...times, performance.now()])
    const [status, headers = {}, code = ''] = STORIES[path]?.[times.length] ?? [500]
    response.writeHead(status, headers).end(JSON.stringify({ status, code }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, attempts }
}

describe.each(Object.entries(QUEUES))('the program for %s', (_, start) => {
  it('delivers, respects Retry-After, and knows when to stop', async () => {
    const { url, attempts } = await storyTeller()
    const gone: string[] = []
    const secret = 'queues-0123456789-abcdefghijklmnop'
    const sender = await start({
      endpointOf: async (endpointId) => ({ url: `${url}/${endpointId}`, secret }),
      onGone: async (endpointId) => void gone.push(endpointId),
    })
    onTestFinished(() => sender.stop())
    const paths = Object.keys(STORIES)
    for (const path of paths) {
      await sender.send({ endpointId: path.slice(1), event: { id: crypto.randomUUID(), body: '{}' } })
    }
    const count = () => paths.map((path) => attempts.get(path)?.length ?? 0)
    await expect.poll(count).toEqual([2, 2, 1, 1, 1, 1, 2])
    const gap = (path: string) => {
      const [first = 0, second = 0] = attempts.get(path) ?? []
      return second - first
    }
    expect(gap('/failed')).toBeGreaterThan(3900)
    expect(gap('/in-progress')).toBeGreaterThan(6900)
    expect(gap('/conflict')).toBeGreaterThan(6900)
    await new Promise((resolve) => setTimeout(resolve, 1500)) // long enough for a queue that still retries
    expect(count()).toEqual([2, 2, 1, 1, 1, 1, 2])
    expect(gone).toEqual(['gone'])
  })
})
