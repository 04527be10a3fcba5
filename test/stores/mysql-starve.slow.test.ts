import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import mariadb from 'mariadb'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Delivery, EventStoreError, type Listener } from '../../src/index.ts'
import { type MysqlClient, mysqlStore } from '../../src/stores/mysql/store.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { MariadbServer, onMariadb, WHY_NO_MARIADB } from '../support/mariadb-server.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'

const DEADLINE_SECONDS = 0.3
/** More than the connections of a pool. */
const CROWD = 25

type Address = MariadbServer['address'] & { connectionLimit?: number }
type Open = (address: Address) => { client: MysqlClient; close(): Promise<unknown> }

const CLIENTS: readonly [string, Open][] = [
  [
    'mysql2',
    (address) => {
      const client = mysql.createPool(address)
      return { client, close: () => client.end() }
    },
  ],
  [
    'mariadb',
    (address) => {
      const client = mariadb.createPool({ ...address, acquireTimeout: 1000 })
      return { client, close: () => client.end() }
    },
  ],
]

describe.skipIf(WHY_NO_MARIADB).each(CLIENTS)(onMariadb('a MariaDB in trouble, on %s'), (_, open) => {
  let server: MariadbServer
  let client: MysqlClient
  let close: () => Promise<unknown>
  let listener: Listener
  let deliver: () => Promise<Delivery>

  beforeAll(async () => {
    server = await MariadbServer.start()
    ;({ client, close } = open(server.address))
    const store = mysqlStore(client)
    await store.migrate()
    ;({ listener, deliver } = hmacListener({ store, storeTimeoutSeconds: DEADLINE_SECONDS }))
  })

  afterAll(async () => {
    await close?.()
    await server?.remove()
  })

  async function withAdmin(work: (admin: mysql.Connection) => Promise<unknown>): Promise<void> {
    const admin = await mysql.createConnection(server.address)
    await work(admin)
    await admin.end()
  }

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

  it('a server that is killed and restarted keeps finished events done', async () => {
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
    await expect
      .poll(() => outcome(deliveries[0] ?? expect.unreachable(), listener).catch(() => 'undecided'))
      .toBe('accepted')
  })

  it('a read-only server leaves deliveries undecided, and accepts again once it is writable', async () => {
    await withAdmin((admin) => admin.query("CREATE USER writer IDENTIFIED BY '' "))
    await withAdmin((admin) => admin.query('GRANT SELECT, INSERT, UPDATE, DELETE ON hookgate.* TO writer'))
    const opened = open({ ...server.address, user: 'writer' })
    onTestFinished(() => void opened.close())
    const asWriter = { ...listener, store: mysqlStore(opened.client) }
    const done = await deliver()
    await (await acceptedEvent(done, asWriter)).commit()
    await withAdmin((admin) => admin.query('SET GLOBAL read_only = 1'))
    for (const delivery of [done, await deliver()]) {
      await expect(outcome(delivery, asWriter)).rejects.toThrow(EventStoreError)
    }
    const problems = (await mysqlStore(opened.client).check()).map(({ problem }) => problem)
    expect(problems).toContainEqual(expect.stringContaining('read-only'))
    await withAdmin((admin) => admin.query('SET GLOBAL read_only = 0'))
    expect(await outcome(done, asWriter)).toBe('409 event_duplicate')
    expect(await outcome(await deliver(), asWriter)).toBe('accepted')
  })

  it('a server that ends its connections in the middle of a claim leaves it undecided', async () => {
    await withAdmin(async (admin) => {
      await admin.query('LOCK TABLES hookgate_events WRITE')
      const undecided = allUndecided(await crowd())
      await sleep(50)
      const [rows] = await admin.query<mysql.RowDataPacket[]>(
        'SELECT id FROM information_schema.PROCESSLIST WHERE id <> CONNECTION_ID() AND db = DATABASE()',
      )
      for (const { id } of rows) await admin.query(`KILL CONNECTION ${id}`).catch(() => {})
      await undecided
      await admin.query('UNLOCK TABLES')
    })
    await flowsAgain()
  })

  it('a renewal does not wait for a transaction that locks its record, and renews once that is over', async () => {
    const store = mysqlStore(client)
    const key = { listenerId: 'orders', eventId: crypto.randomUUID() }
    await store.claim(key, 'a', 60_000)
    await withAdmin(async (admin) => {
      await admin.beginTransaction()
      await admin.query('SELECT 1 FROM hookgate_events WHERE event_id = UNHEX(?) FOR UPDATE', [
        key.eventId.replaceAll('-', ''),
      ])
      expect(await store.renew?.(key, 'a', 60_000)).toBe('locked')
      await admin.rollback()
    })
    expect(await store.renew?.(key, 'a', 60_000)).toBe(true)
  })

  it('a claim whose reply is lost is undecided, then in progress until the lease ends, and never run twice', async () => {
    const wire = await cuttableWire(server)
    // One connection, because a pool would open others, and lose the reply to one of these.
    const opened = open({ ...server.address, socketPath: wire.socketPath, connectionLimit: 1 })
    const cut = { ...listener, store: mysqlStore(opened.client) }
    await acceptedEvent(await deliver(), cut)
    const delivery = await deliver()
    wire.cutAtReply()
    await expect(outcome(delivery, cut)).rejects.toThrow(EventStoreError)
    await expect.poll(() => outcome(delivery, listener)).toBe('503 event_in_progress')
    await expect.poll(async () => outcome(await deliver(), cut).catch(() => 'undecided')).toBe('accepted')
    await opened.close()
  })
})

/** A proxy in front of the server. On demand, it drops the next reply once, with its connection. */
async function cuttableWire({
  folder,
  socketPath: target,
}: MariadbServer): Promise<{ socketPath: string; cutAtReply(): void }> {
  const socketPath = join(folder, 'wire')
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
  await new Promise<void>((resolve) => wire.listen(socketPath, resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    wire.close()
  })
  return {
    socketPath,
    cutAtReply: () => {
      cutting = true
    },
  }
}
