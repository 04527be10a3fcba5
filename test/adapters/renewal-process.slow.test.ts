import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { verifyWebhook } from '../../adapters/express.ts'
import type { EventStore } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { Log } from '../support/log.ts'
import { exchange, RawConnection, toBytes } from '../support/raw-http.ts'
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

/** A process of `renewal-process.mjs` on this store. */
async function started(store: EventStore) {
  const program = fileURLToPath(new URL('renewal-process.mjs', import.meta.url))
  const env = { ...process.env, SECRET, LEASE_SECONDS: `${LEASE_SECONDS}` }
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
      const answer: unknown = await Reflect.apply(store[verb] as () => unknown, store, args)
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
  const askedAt = performance.now()
  child.send({ close: true })
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(performance.now() - askedAt).toBeLessThan(LEASE_MS * 2)
})
