import mysql from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type MysqlClient, type MysqlStore, mysqlStore } from '../../../src/stores/mysql/store.ts'
import { eventStoreSuite } from '../../../src/testing/index.ts'
import { storeKills } from '../../support/kills.ts'
import { MariadbServer, onMariadb, WHY_NO_MARIADB } from '../../support/mariadb-server.ts'
import { killDuring } from '../../support/store-processes.ts'

const LEASE_MS = 60_000
const RETENTION_MS = 604_800_000
const INSERT = 'INSERT INTO effects VALUES (?)'

/** An ORM: its own handle, what sends statements through it, and its transactions. */
interface Orm {
  readonly handle: unknown
  readonly client: MysqlClient
  transaction(work: (tx: MysqlClient) => Promise<void>): Promise<unknown>
  /** A read of the ORM, which its replica answers. */
  read?(): PromiseLike<unknown>
  close(): unknown
}

type Address = MariadbServer['address']

interface Orms {
  readonly ORMS: Readonly<Record<string, (address: Address, replica?: Address) => Orm | Promise<Orm>>>
}

const { ORMS }: Orms = await import(new URL('orms/mysql.mjs', import.meta.url).href)

const older = (ms: number) =>
  `UPDATE hookgate_events SET expires_at = expires_at - INTERVAL ${ms * 1000} MICROSECOND`

describe.skipIf(WHY_NO_MARIADB).each(Object.entries(ORMS))(onMariadb('mysqlStore on %s'), (name, open) => {
  let server: MariadbServer
  let admin: mysql.Pool
  let orm: Orm
  let store: MysqlStore

  beforeAll(async () => {
    server = await MariadbServer.start()
    admin = mysql.createPool(server.address)
    orm = await open(server.address)
    store = mysqlStore(orm.client)
    await store.migrate()
    await admin.query('CREATE TABLE effects (event_id CHAR(36)) ENGINE = InnoDB')
  })

  afterAll(async () => {
    await orm?.close()
    await admin?.end()
    await server?.remove()
  })

  const keyOf = () => ({ listenerId: 'orders', eventId: crypto.randomUUID() })

  eventStoreSuite(it, () => ({ store, other: mysqlStore(admin), advance: (ms) => admin.query(older(ms)) }))

  it('its own handle is refused with what makes a client of it, unless it is one', () => {
    const create = () => mysqlStore(orm.handle as MysqlClient) // deliberately not always one
    if (orm.handle === orm.client) expect(create).not.toThrow()
    else expect(create).toThrow(new RegExp(`^client: is of ${name}: pass \\{ query: `))
  })

  it('a lapsed record is swept, and check() finds the table', async () => {
    await store.commit(keyOf(), 'a', 1)
    await admin.query(older(2))
    expect(await store.sweep()).toBeGreaterThan(0)
    expect(await store.sweep()).toBe(0)
    const problems = (await store.check()).map(({ problem }) => problem)
    expect(problems).toStrictEqual([expect.stringContaining('innodb_flush')])
  })

  it('a missing table is named behind its own errors', async () => {
    const claim = mysqlStore(orm.client, { table: 'nowhere' }).claim(keyOf(), 'a', LEASE_MS)
    await expect(claim).rejects.toThrow('store.migrate()')
  })

  async function effects(eventId: string): Promise<number> {
    const [rows] = await admin.query<mysql.RowDataPacket[]>('SELECT 1 FROM effects WHERE event_id = ?', [
      eventId,
    ])
    return rows.length
  }

  const commitIn = (tx: MysqlClient, key: ReturnType<typeof keyOf>, owner: string) =>
    store.commitIn?.(tx, key, owner, RETENTION_MS) ?? expect.unreachable()

  it('its transaction commits record and effect together, or neither', async () => {
    const key = keyOf()
    await store.claim(key, 'a', LEASE_MS)
    const attempt = (end: () => void) =>
      orm.transaction(async (tx) => {
        await tx.query(INSERT, [key.eventId])
        expect(await commitIn(tx, key, 'a')).toBe('committed')
        end()
      })
    const failing = () => {
      throw new Error('rolled back')
    }
    await expect(attempt(failing)).rejects.toThrow('rolled back')
    expect(await effects(key.eventId)).toBe(0)
    expect(await store.claim(key, 'a', LEASE_MS)).toBe('acquired')
    await attempt(() => {})
    expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
    expect(await effects(key.eventId)).toBe(1)
  })

  it.each(['lets the error through', 'ignores the error'])(
    'a handler that has lost its lease, and %s, writes nothing, and the ORM goes on',
    async (how) => {
      vi.spyOn(console, 'error').mockReturnValue() // of Sequelize
      vi.spyOn(console, 'warn').mockReturnValue()
      onTestFinished(() => void vi.restoreAllMocks())
      const key = keyOf()
      await store.commit(key, 'another', RETENTION_MS)
      const ending = orm.transaction(async (tx) => {
        await tx.query(INSERT, [key.eventId])
        const committing = commitIn(tx, key, 'a')
        await expect(committing).rejects.toMatchObject({ code: 'ERR_LEASE_LOST' })
        if (how === 'lets the error through') await committing
      })
      await expect(ending).rejects.toThrow()
      expect(await effects(key.eventId)).toBe(0)
      expect(await store.claim(keyOf(), 'a', LEASE_MS)).toBe('acquired')
    },
  )

  it('its root client is no transaction', async () => {
    const key = keyOf()
    await store.claim(key, 'a', LEASE_MS)
    await expect(commitIn(orm.client, key, 'a')).rejects.toThrow(/^tx: has no open transaction/)
    expect(await store.claim(key, 'a', LEASE_MS)).toBe('acquired')
  })
})

const { kills, firstKill } = storeKills('mysql', 2)

it.skipIf(WHY_NO_MARIADB)(
  onMariadb('a killed process leaves an event and its effect in a transaction of Drizzle, or neither'),
  { timeout: 60_000 + kills * 4000 },
  async ({ signal }) => {
    const server = await MariadbServer.start()
    onTestFinished(() => server.remove())
    const config = { connection: server.address }
    const subject = '../../suites/clients/orms/mysql-subject'
    const counts = await killDuring({ subject, config, signal, kills, firstKill, leaseMs: 300 })
    expect(counts).toMatchObject({ kills, lost: 0, runTwiceAfterCommit: 0, effectRepeated: 0 })
  },
)

describe.skipIf(WHY_NO_MARIADB)(onMariadb('mysqlStore through an ORM with a read replica'), () => {
  let primary: MariadbServer
  let replica: MariadbServer
  let admin: mysql.Pool

  beforeAll(async () => {
    primary = await MariadbServer.start()
    replica = await MariadbServer.start('read-only', 'general-log', 'log-output=TABLE')
    const effects = 'CREATE TABLE effects (event_id CHAR(36)) ENGINE = InnoDB'
    for (const { address } of [primary, replica]) await query(address, effects)
    admin = mysql.createPool(replica.address)
  })

  afterAll(async () => {
    await admin?.end()
    await primary?.remove()
    await replica?.remove()
  })

  async function query(address: Address, text: string): Promise<void> {
    const connection = await mysql.createConnection(address)
    await connection.query(text)
    await connection.end()
  }

  /** What the replica has been sent with this word in it. */
  async function sentWith(word: string): Promise<unknown[]> {
    const log =
      "SELECT argument FROM mysql.general_log WHERE argument LIKE ? AND argument NOT LIKE '%general_log%'"
    const [rows] = await admin.query<mysql.RowDataPacket[]>(log, [`%${word}%`])
    return rows
  }

  it.each(Object.entries(ORMS).filter(([name]) => name !== 'Knex'))(
    '%s writes to the primary',
    async (name, open) => {
      const orm = await open(primary.address, replica.address)
      onTestFinished(() => void orm.close())
      const before = (await sentWith('event_id')).length
      await orm.read?.()
      expect((await sentWith('event_id')).length).toBeGreaterThan(before)
      const table = `events_${name.toLowerCase()}`
      const store = mysqlStore(orm.client, { table })
      await store.migrate()
      const key = { listenerId: 'orders', eventId: crypto.randomUUID() }
      expect(await store.claim(key, 'a', LEASE_MS)).toBe('acquired')
      expect(await store.renew?.(key, 'a', LEASE_MS)).toBe(true)
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('busy')
      expect(await store.commit(key, 'a', RETENTION_MS)).toBe('committed')
      const next = { ...key, eventId: crypto.randomUUID() }
      await store.claim(next, 'a', LEASE_MS)
      await orm.transaction(async (tx) => {
        expect(await store.commitIn?.(tx, next, 'a', RETENTION_MS)).toBe('committed')
      })
      await store.sweep()
      const problems = (await store.check()).map(({ problem }) => problem)
      expect(problems).not.toContainEqual(expect.stringMatching(/missing|read-only/))
      expect(await sentWith(table)).toStrictEqual([])
    },
  )
})
