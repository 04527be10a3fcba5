import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook } from '../../adapters/express.ts'
import type { EventStore } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { Log } from '../support/log.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { exchange, RawConnection, toBytes } from '../support/raw-http.ts'
import { onRedis, startRedis, WHY_NO_REDIS } from '../support/redis-server.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'

const LEASE_SECONDS = 1
const LEASE_MS = LEASE_SECONDS * 1000

interface ChildMessage {
  readonly port?: number
  readonly told?: string
  readonly entered?: true
  readonly id: number
  readonly verb: 'claim' | 'commit' | 'release' | 'renew'
  readonly args: readonly unknown[]
}

/** A process of `renewal-process.mjs`, on this store or on one of its own. */
async function started(store: EventStore | undefined, given: { readonly [name: string]: string } = {}) {
  const program = fileURLToPath(new URL('renewal-process.mjs', import.meta.url))
  const env = { ...process.env, SECRET, LEASE_SECONDS: `${LEASE_SECONDS}`, ...given }
  const child: ChildProcess = fork(program, { env, execArgv: [] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const calls = new Log<string>()
  const told = new Log<string>()
  const entered = new Log<string>()
  const port = await new Promise<number>((resolve) => {
    child.on('message', async (message: ChildMessage) => {
      if (message.port !== undefined) return resolve(message.port)
      if (message.told !== undefined) return told.add(message.told)
      if (message.entered) return entered.add('entered')
      const { id, verb, args } = message
      calls.add(verb)
      const answer: unknown = store && (await Reflect.apply(store[verb] as () => unknown, store, args))
      if (child.connected) child.send({ id, answer })
    })
  })
  return { address: { port, host: '127.0.0.1' }, child, calls, told, entered }
}

/** The same sender, with the time of the platform, because the process has that too. */
async function bytesOf() {
  const { request } = hmacEndpoint()
  return toBytes(await request({ timestamp: Math.floor(Date.now() / 1000) }))
}

it('a process that is stopped for longer than its lease loses the event, tells it when it goes on, once, and renews no more', async () => {
  const store = memoryStore()
  const { address, child, calls, told, entered } = await started(store)
  const bytes = await bytesOf()
  const connection = new RawConnection(address)
  await connection.write(bytes)
  await entered.reaches(1)
  await calls.has('renew') // it works until then
  child.kill('SIGSTOP')
  const other = hmacEndpoint({ clock: Date, leaseSeconds: LEASE_SECONDS }, () => store)
  const { address: here } = await serve((request, response) =>
    verifyWebhook(other.listener)(request, response, () => void response.end('done')),
  )
  expect((await exchange(here, bytes))?.status).toBe(503)
  await sleep(LEASE_MS * 1.3)
  expect((await exchange(here, bytes))?.status).toBe(200)
  expect(told.entries).toEqual([])
  child.kill('SIGCONT')
  await told.reaches(1)
  const renewals = calls.entries.length
  await sleep(LEASE_MS)
  expect(told.entries).toEqual([expect.stringMatching(/^ERR_LEASE_LOST: the lease of 1 s ended/)])
  expect(calls.entries).toHaveLength(renewals)
  connection.abort()
})

it('a process ends although handlers still run: the timer does not keep it alive', async () => {
  const { address, child, entered } = await started(memoryStore())
  const connection = new RawConnection(address)
  await connection.write(await bytesOf())
  await entered.reaches(1)
  child.send({ close: true })
  expect(await once(child, 'exit')).toEqual([0, null])
})

/** Two processes on one server: a handler of 5 s in the first, under a lease of 2 s. */
async function longHandler(subject: string, config: object) {
  const given = { SUBJECT: subject, CONFIG: JSON.stringify(config), LEASE_SECONDS: '2', HANDLER_MS: '5000' }
  const [first, second] = [await started(undefined, given), await started(undefined, given)]
  const bytes = await bytesOf()
  const answer = exchange(first.address, bytes)
  await first.entered.reaches(1)
  for (const _ of [1, 2]) {
    await sleep(2300)
    expect((await exchange(second.address, bytes))?.status).toBe(503)
  }
  expect((await answer)?.status).toBe(200)
  await expect.poll(async () => (await exchange(second.address, bytes))?.status).toBe(409)
  expect([first.told.entries, second.told.entries, second.entered.entries]).toEqual([[], [], []])
}

describe.skipIf(WHY_NO_REDIS)(onRedis('a handler of 5 s under a lease of 2 s'), () => {
  it('it runs in one of two processes', async () => {
    const server = await startRedis()
    onTestFinished(() => server.close())
    await longHandler('redis', { port: server.port })
  }, 30_000)
})

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('a handler of 5 s under a lease of 2 s'), () => {
  it('it runs in one of two processes', async () => {
    const server = await PostgresServer.start()
    onTestFinished(() => server.remove())
    await longHandler('postgres', { connection: server.address })
  }, 30_000)
})
