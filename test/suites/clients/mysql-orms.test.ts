import mysql from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MysqlClient, type MysqlStore, mysqlStore } from '../../../src/stores/mysql/store.ts'
import { eventStoreSuite } from '../../../src/testing/index.ts'
import { MariadbServer, onMariadb, WHY_NO_MARIADB } from '../../support/mariadb-server.ts'

const LEASE_MS = 60_000
const RETENTION_MS = 604_800_000
const INSERT = 'INSERT INTO effects VALUES (?)'

/** An ORM: its own handle, what sends statements through it, and its transactions. */
interface Orm {
  readonly handle: unknown
  readonly client: MysqlClient
  transaction(work: (tx: MysqlClient) => Promise<void>): Promise<unknown>
  close(): unknown
}

interface Orms {
  readonly ORMS: Readonly<Record<string, (address: MariadbServer['address']) => Orm | Promise<Orm>>>
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

  async function effects(eventId: string): Promise<number> {
    const [rows] = await admin.query<mysql.RowDataPacket[]>('SELECT 1 FROM effects WHERE event_id = ?', [
      eventId,
    ])
    return rows.length
  }

  eventStoreSuite(it, () => ({ store, other: mysqlStore(admin), advance: (ms) => admin.query(older(ms)) }))

  it('its own handle is refused with what makes a client of it, unless it is one', () => {
    const create = () => mysqlStore(orm.handle as MysqlClient) // deliberately not always one
    if (orm.handle === orm.client) expect(create).not.toThrow()
    else expect(create).toThrow(new RegExp(`^client: is a ${name}: pass \\{ query: `))
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

  it('record and effect exist together or not at all', async () => {
    const key = keyOf()
    const attempt = (end: () => void) =>
      orm.transaction(async (tx) => {
        const owner = crypto.randomUUID()
        const answer = await store.with(tx).claim(key, owner, LEASE_MS)
        if (answer !== 'acquired') throw new Error(answer)
        await tx.query(INSERT, [key.eventId])
        expect(await store.with(tx).commit(key, owner, RETENTION_MS)).toBe('committed')
        end()
      })
    const failing = () => {
      throw new Error('rolled back')
    }
    await expect(attempt(failing)).rejects.toThrow('rolled back')
    expect(await effects(key.eventId)).toBe(0)
    await attempt(() => {})
    await expect(attempt(() => {})).rejects.toThrow('done')
    expect(await effects(key.eventId)).toBe(1)
  })

  it('with(root) is found at the commit, because no transaction is open', async () => {
    const key = keyOf()
    expect(await store.with(orm.client).claim(key, 'a', LEASE_MS)).toBe('acquired')
    const commit = store.with(orm.client).commit(key, 'a', RETENTION_MS)
    await expect(commit).rejects.toThrow('`tx` is no transaction')
    expect(await store.with(orm.client).release(key, 'a')).toBe(true)
  })
})
