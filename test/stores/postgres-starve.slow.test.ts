import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Delivery, EventStoreError, type Listener } from '../../src/index.ts'
import { type PostgresClient, postgresStore } from '../../src/stores/postgres/store.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'

const DEADLINE_SECONDS = 0.3
/** More than the connections of a pool. */
const CROWD = 25

type Address = PostgresServer['address']

/** Each client as an application would configure it, and how to close it. */
const CLIENTS: readonly [string, (address: Address) => { client: PostgresClient; close(): Promise<void> }][] =
  [
    [
      "pg's Pool",
      (address) => {
        const client = new pg.Pool(address)
        client.on('error', () => {})
        return { client, close: () => client.end() }
      },
    ],
    [
      'postgres.js',
      (address) => {
        // By default it waits up to 20 s between attempts to connect.
        const client = postgres({ ...address, backoff: () => 0.1, onnotice() {} })
        return { client, close: () => client.end({ timeout: 1 }) }
      },
    ],
  ]

describe.skipIf(WHY_NO_POSTGRES).each(CLIENTS)(onPostgres('a Postgres in trouble, on %s'), (_, open) => {
  let server: PostgresServer
  let client: PostgresClient
  let close: () => Promise<void>
  let listener: Listener
  let deliver: () => Promise<Delivery>

  beforeAll(async () => {
    server = await PostgresServer.start()
    ;({ client, close } = open(server.address))
    const store = postgresStore(client)
    await store.migrate()
    ;({ listener, deliver } = hmacListener({ store, storeTimeoutSeconds: DEADLINE_SECONDS }))
  })

  afterAll(async () => {
    await close?.()
    await server?.remove()
  })

  /** Sends many deliveries. All must stay undecided, and end before the server answers again. */
  async function allUndecided(deliveries: readonly Delivery[]): Promise<void> {
    const verdicts = deliveries.map((delivery) =>
      outcome(delivery, listener).catch((error: unknown) => {
        expect(error).toBeInstanceOf(EventStoreError)
        return 'undecided'
      }),
    )
    expect(await Promise.all(verdicts)).toStrictEqual(deliveries.map(() => 'undecided'))
  }

  const crowd = () => Promise.all(Array.from({ length: CROWD }, deliver))

  /** Sends new deliveries on the same client until one is accepted. */
  async function flowsAgain(): Promise<void> {
    for (;;) {
      const verdict = await outcome(await deliver(), listener).catch(() => 'undecided')
      if (verdict === 'accepted') break
      expect(verdict).toBe('undecided')
      await sleep(10)
    }
  }

  it('a server that is stopped and restarted keeps finished events done', async () => {
    const done = await deliver()
    await (await acceptedEvent(done, listener)).commit()
    const deliveries = [done, ...(await crowd())]
    await server.halt()
    await allUndecided(deliveries)
    await allUndecided(deliveries)
    await server.resume()
    await flowsAgain()
    expect(await outcome(done, listener)).toBe('409 event_duplicate')
  })

  it('a paused server has its late claim released', async () => {
    await flowsAgain()
    const deliveries = await crowd()
    server.pause()
    onTestFinished(() => server.unpause()) // otherwise, after a failure, the next tests would wait too
    await allUndecided(deliveries)
    server.unpause()
    await flowsAgain()
    await expect.poll(() => outcome(deliveries[0] ?? expect.unreachable(), listener)).toBe('accepted')
  })

  it('a read-only server leaves deliveries undecided, and accepts again once it is writable', async () => {
    const admin = new pg.Client(server.address)
    await admin.connect()
    const switchTo = async (state: 'on' | 'off') => {
      await admin.query(`ALTER SYSTEM SET default_transaction_read_only = ${state}`)
      await admin.query('SELECT pg_reload_conf()')
    }
    const done = await deliver()
    await (await acceptedEvent(done, listener)).commit()
    await switchTo('on')
    await expect.poll(() => outcome(done, listener).catch(() => 'undecided')).toBe('undecided')
    await allUndecided([done, ...(await crowd())])
    await switchTo('off')
    await flowsAgain()
    await admin.end()
  })

  it('a server that ends its connections in the middle of a claim leaves it undecided', async () => {
    const admin = new pg.Client(server.address)
    await admin.connect()
    await admin.query('BEGIN; LOCK TABLE hookgate_events')
    const undecided = allUndecided(await crowd())
    await sleep(50)
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
    await undecided
    await admin.query('ROLLBACK')
    await flowsAgain()
    await admin.end()
  })

  it('a claim whose reply is lost is undecided, then in progress until the lease ends, and never run twice', async () => {
    const wire = await cuttableWire(server.socketPath)
    const { client, close } = open({ ...server.address, host: wire.folder })
    const store = postgresStore(client)
    const cut = { ...listener, store }
    await acceptedEvent(await deliver(), cut)
    const delivery = await deliver()
    wire.cutAtReply()
    await expect(outcome(delivery, cut)).rejects.toThrow(EventStoreError)
    await expect.poll(() => outcome(delivery, listener)).toBe('503 event_in_progress')
    await expect.poll(async () => outcome(await deliver(), cut).catch(() => 'undecided')).toBe('accepted')
    await close()
  })
})

/** A proxy in front of the server. On demand, it drops the next reply once, with its connection. */
async function cuttableWire(target: string): Promise<{ folder: string; cutAtReply(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-wire-'))
  let cutting = false
  const open = new Set<Socket>()
  const wire = createServer((near) => {
    const far = connect(target)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => {}).once('close', () => [near, far].forEach((end) => void end.destroy()))
    }
    near.on('data', (bytes) => far.write(bytes))
    far.on('data', (bytes) => {
      if (!cutting) return near.write(bytes)
      cutting = false
      near.destroy()
    })
  })
  await new Promise<void>((resolve) => wire.listen(join(folder, '.s.PGSQL.5432'), resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    wire.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    folder,
    cutAtReply: () => {
      cutting = true
    },
  }
}
