import mariadb from 'mariadb'
import mysql, { type PoolConnection, type RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { EventStoreError } from '../../src/index.ts'
import { withLocalCache } from '../../src/stores/local-cache.ts'
import { type MysqlStore, mysqlStore } from '../../src/stores/mysql/store.ts'
import { expectAnyId } from '../support/any-id.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { type MysqlServer, startMysql, WHY_NO_MYSQL } from '../support/mariadb-server.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'

const LEASE_MS = 60_000
const RETENTION_MS = 604_800_000
const ENDED = /^the transaction of the claim has ended/
const UNCLAIMED = /^this transaction has not claimed the event/

const keyOf = () => ({ listenerId: 'orders', eventId: crypto.randomUUID() })

describe.skipIf(WHY_NO_MYSQL)('store.with(tx) in MariaDB', () => {
  let server: MysqlServer
  let pool: mysql.Pool
  let store: MysqlStore

  beforeAll(async () => {
    server = await startMysql()
    pool = mysql.createPool({ ...server.address, connectionLimit: 20 })
    store = mysqlStore(pool)
    await store.migrate()
    await pool.query('CREATE TABLE IF NOT EXISTS effects (event_id CHAR(36)) ENGINE = InnoDB')
    await pool.query('CREATE TABLE IF NOT EXISTS stock (id INT PRIMARY KEY, n INT) ENGINE = InnoDB')
    const rows = Array.from({ length: 50 }, (_, row) => `(${row + 1}, 0)`)
    await pool.query(`REPLACE INTO stock VALUES ${rows.join(', ')}`)
  })

  afterAll(async () => {
    await pool?.end()
    await server?.remove()
  })

  /** An open transaction. It is rolled back after the test in any case. */
  async function begin(): Promise<PoolConnection> {
    const connection = await pool.getConnection()
    onTestFinished(async () => {
      await connection.rollback().catch(() => {})
      connection.release()
    })
    await connection.query('SET SESSION innodb_lock_wait_timeout = 5')
    await connection.beginTransaction()
    return connection
  }

  const insert = (tx: PoolConnection, eventId: string) =>
    tx.query('INSERT INTO effects VALUES (?)', [eventId])

  async function effects(eventId: string): Promise<number> {
    const [rows] = await pool.query<RowDataPacket[]>('SELECT 1 FROM effects WHERE event_id = ?', [eventId])
    return rows.length
  }

  /** Resolves when this many transactions wait for a lock. */
  async function untilWaiting(transactions: number): Promise<void> {
    const waiting = "SELECT count(*) AS n FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'"
    const count = async () => (await pool.query<RowDataPacket[]>(waiting))[0][0]?.n
    // The server's answer is older than that if it is asked every 100 ms or sooner.
    await expect.poll(count, { interval: 150 }).toBe(transactions)
  }

  /** Claims an event in a transaction. Returns the answer to a second claim that came while the first was open. */
  async function secondClaim(end: 'commit' | 'rollback', mode: 'two-phase' | 'single'): Promise<string> {
    const chosen = mysqlStore(pool, { mode })
    const key = keyOf()
    const [first, second] = [await begin(), await begin()]
    expect(await chosen.with(first).claim(key, 'a', LEASE_MS)).toBe('acquired')
    const waiting = chosen.with(second).claim(key, 'b', LEASE_MS)
    await untilWaiting(1)
    await first[end]()
    const answer = await waiting
    await second.rollback() // it may have locked the gap for events beside this one
    return answer
  }

  it('a second claim waits for the transaction of the first: after COMMIT it gets nothing', async () => {
    expect(await secondClaim('commit', 'two-phase')).toBe('busy')
    expect(await secondClaim('commit', 'single')).toBe('done')
  })

  it('a second claim waits for the transaction of the first: after ROLLBACK it is acquired', async () => {
    expect(await secondClaim('rollback', 'two-phase')).toBe('acquired')
    expect(await secondClaim('rollback', 'single')).toBe('acquired')
  })

  it('claims outside any transaction wait as well, and one of them gets the event after a ROLLBACK', async () => {
    const key = keyOf()
    const tx = await begin()
    await store.with(tx).claim(key, 'a', LEASE_MS)
    const claims = Array.from({ length: 8 }, (_, racer) => store.claim(key, `${racer}`, LEASE_MS))
    await untilWaiting(8)
    await tx.rollback()
    const answers = await Promise.all(claims)
    expect(answers.toSorted()).toStrictEqual(['acquired', ...Array(7).fill('busy')])
  })

  it.each(['two-phase', 'single'] as const)(
    'record and effect in %s mode exist together or not at all',
    async (mode) => {
      const chosen = mysqlStore(pool, { mode })
      const key = keyOf()
      const attempt = async (end: 'commit' | 'rollback') => {
        const tx = await begin()
        const owner = crypto.randomUUID()
        const answer = await chosen.with(tx).claim(key, owner, LEASE_MS)
        if (answer !== 'acquired') return answer
        await insert(tx, key.eventId)
        expect(await chosen.with(tx).commit(key, owner, RETENTION_MS)).toBe('committed')
        await tx[end]()
        return answer
      }
      expect(await attempt('rollback')).toBe('acquired')
      expect(await effects(key.eventId)).toBe(0)
      expect(await attempt('commit')).toBe('acquired')
      expect(await attempt('commit')).toBe('done')
      expect(await effects(key.eventId)).toBe(1)
    },
  )

  it('with(tx) takes a connection of mariadb', async () => {
    const other = mariadb.createPool({ ...server.address, connectionLimit: 2 })
    onTestFinished(() => other.end())
    const onOther = mysqlStore(other)
    const key = keyOf()
    for (const end of ['rollback', 'commit'] as const) {
      const tx = await other.getConnection()
      await tx.beginTransaction()
      expect(await onOther.with(tx).claim(key, end, LEASE_MS)).toBe('acquired')
      expect(await onOther.with(tx).commit(key, end, RETENTION_MS)).toBe('committed')
      await tx[end]()
      await tx.release()
    }
    expect(await onOther.claim(key, 'c', LEASE_MS)).toBe('done')
    expect(() => onOther.with(other)).toThrow(/^tx: must be the connection of one open transaction/)
  })

  it('with(tx) takes any ID, as verify() maps it', async () => {
    const tx = await pool.getConnection()
    await expectAnyId(store, store.with(tx)) // without BEGIN: each statement is a transaction
    tx.release()
  })

  it('with(tx) gives no store that another one may cache or renew', async () => {
    const tx = await begin()
    expect(store.with(tx).renew).toBeUndefined()
    expect(() => withLocalCache(store.with(tx))).toThrow('transaction')
  })

  it('two events of one transaction are done together', async () => {
    const [one, two] = [keyOf(), { ...keyOf(), listenerId: 'others' }]
    const tx = await begin()
    const inside = store.with(tx)
    for (const key of [one, two]) expect(await inside.claim(key, 'a', LEASE_MS)).toBe('acquired')
    for (const key of [one, two]) expect(await inside.commit(key, 'a', RETENTION_MS)).toBe('committed')
    await tx.commit()
    for (const key of [one, two]) expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
  })

  it('a commit of what another owner has claimed, or nobody, or of what is committed, fails', async () => {
    const [key, unclaimed] = [keyOf(), keyOf()]
    const inside = store.with(await begin())
    await inside.claim(key, 'a', LEASE_MS)
    await expect(inside.commit(key, 'b', RETENTION_MS)).rejects.toThrow(UNCLAIMED)
    await expect(inside.commit(unclaimed, 'a', RETENTION_MS)).rejects.toThrow(UNCLAIMED)
    expect(await inside.commit(key, 'a', RETENTION_MS)).toBe('committed')
    await expect(inside.commit(key, 'a', RETENTION_MS)).rejects.toThrow(UNCLAIMED)
  })

  it.each(['two-phase', 'single'] as const)(
    'a commit of what an earlier transaction has claimed fails, in mode %s',
    async (mode) => {
      const [earlier, later] = [keyOf(), keyOf()]
      const tx = await begin()
      const inside = mysqlStore(pool, { mode }).with(tx)
      await inside.claim(earlier, 'a', LEASE_MS)
      await tx.rollback()
      await tx.beginTransaction()
      await inside.claim(later, 'a', LEASE_MS)
      await expect(inside.commit(earlier, 'a', RETENTION_MS)).rejects.toThrow(UNCLAIMED)
      await expect(inside.commit(later, 'b', RETENTION_MS)).rejects.toThrow(UNCLAIMED)
      expect(await inside.commit(later, 'a', RETENTION_MS)).toBe('committed')
    },
  )

  it('an event that its listener has claimed takes effect once, by a claim in a second table', async () => {
    const recorded = mysqlStore(pool, { table: 'hookgate_effects' })
    await recorded.migrate()
    const { listener, deliver } = hmacListener({ id: 'orders', store, leaseSeconds: 0.05 })
    const delivery = await deliver()
    const attempt = async (end: 'commit' | 'rollback') => {
      const event = await acceptedEvent(delivery, listener)
      const key = { listenerId: event.listenerId, eventId: event.id }
      const tx = await begin()
      expect(await store.with(tx).claim(key, 'in the same table', LEASE_MS)).toBe('busy')
      const answer = await recorded.with(tx).claim(key, end, LEASE_MS)
      if (answer === 'acquired') {
        await insert(tx, event.id)
        expect(await recorded.with(tx).commit(key, end, RETENTION_MS)).toBe('committed')
      }
      await tx[end]()
      return { answer, event }
    }
    expect((await attempt('rollback')).answer).toBe('acquired')
    await expect.poll(() => attempt('commit').then(({ answer }) => answer)).toBe('acquired')
    await expect.poll(() => attempt('commit').then(({ answer }) => answer)).toBe('done') // its listener's commit was lost
    const { event } = await vi.waitUntil(() => attempt('commit').catch(() => undefined))
    expect(await event.commit()).toBe('committed')
    expect(await effects(event.id)).toBe(1)
  })

  it('a release in the transaction lets the next claim in', async () => {
    const key = keyOf()
    const tx = await begin()
    await store.with(tx).claim(key, 'a', LEASE_MS)
    expect(await store.with(tx).release(key, 'b')).toBe(false)
    expect(await store.with(tx).release(key, 'a')).toBe(true)
    await tx.commit()
    expect(await store.claim(key, 'c', LEASE_MS)).toBe('acquired')
  })

  describe('a transaction that is over', () => {
    /** Makes the server choose `tx` as the victim of a deadlock, whose error nobody notices. */
    async function swallowedDeadlock(tx: PoolConnection): Promise<void> {
      const other = await begin()
      await tx.query('UPDATE stock SET n = n + 1 WHERE id = 1')
      await other.query('UPDATE stock SET n = n + 1 WHERE id > 1') // more work, so that this one survives
      const wait = tx.query('UPDATE stock SET n = n + 1 WHERE id = 2').catch((error: unknown) => error)
      await untilWaiting(1)
      await other.query('UPDATE stock SET n = n + 1 WHERE id = 1')
      expect(await wait).toMatchObject({ code: 'ER_LOCK_DEADLOCK' })
      await other.rollback()
    }

    const ENDS: Readonly<Record<string, (tx: PoolConnection) => Promise<unknown>>> = {
      'by a deadlock that its code ignored': swallowedDeadlock,
      'by a deadlock, before another one began': async (tx) => {
        await swallowedDeadlock(tx)
        await tx.beginTransaction()
      },
      'by a COMMIT of its own': (tx) => tx.commit(),
      'by a ROLLBACK of its own': (tx) => tx.rollback(),
      'by a ROLLBACK to before the claim': (tx) => tx.query('ROLLBACK TO SAVEPOINT before_the_claim'),
      'by a statement that commits without saying so': (tx) =>
        tx.query('CREATE TABLE IF NOT EXISTS other_table (id INT)'),
    }

    it.each(
      Object.entries(ENDS).flatMap(([name, end]) =>
        (['two-phase', 'single'] as const).map((mode) => [name, mode, end] as const),
      ),
    )('%s, in mode %s: its commit fails', async (_, mode, end) => {
      const chosen = mysqlStore(pool, { mode })
      const key = keyOf()
      const tx = await begin()
      await tx.query('SAVEPOINT before_the_claim')
      expect(await chosen.with(tx).claim(key, 'a', LEASE_MS)).toBe('acquired')
      await end(tx)
      const commit = chosen.with(tx).commit(key, 'a', RETENTION_MS)
      await expect(commit).rejects.toThrow(EventStoreError)
      await expect(commit).rejects.toThrow(ENDED)
    })

    it('by a deadlock: the event runs again, whoever claimed it where', async () => {
      const [inside, outside] = [keyOf(), keyOf()]
      const tx = await begin()
      await store.claim(outside, 'a', LEASE_MS)
      await store.with(tx).claim(inside, 'a', LEASE_MS)
      await swallowedDeadlock(tx)
      await expect(store.with(tx).commit(inside, 'a', RETENTION_MS)).rejects.toThrow(ENDED)
      await expect(store.with(tx).commit(outside, 'a', RETENTION_MS)).rejects.toThrow(ENDED)
      expect(await store.claim(inside, 'b', LEASE_MS)).toBe('acquired')
      expect(await store.claim(outside, 'b', LEASE_MS)).toBe('busy')
      expect(await store.release(outside, 'a')).toBe(true)
    })

    it('never began, because `tx` was a pool in disguise: its commit fails, and the claim can be released', async () => {
      const disguised = { query: (text: string, values: string[]) => pool.query(text, values) }
      const key = keyOf()
      expect(await store.with(disguised).claim(key, 'a', LEASE_MS)).toBe('acquired')
      await expect(store.with(disguised).commit(key, 'a', RETENTION_MS)).rejects.toThrow(ENDED)
      expect(await store.with(disguised).release(key, 'a')).toBe(true)
    })
  })

  it('innodb_lock_wait_timeout limits the wait: the claim fails, and decides nothing', async () => {
    const key = keyOf()
    const [first, second] = [await begin(), await begin()]
    await store.with(first).claim(key, 'a', LEASE_MS)
    await second.query('SET SESSION innodb_lock_wait_timeout = 1')
    onTestFinished(async () => void (await second.query('SET SESSION innodb_lock_wait_timeout = DEFAULT')))
    await expect(store.with(second).claim(key, 'b', LEASE_MS)).rejects.toMatchObject({
      code: 'ER_LOCK_WAIT_TIMEOUT',
    })
    await first.rollback()
    expect(await store.claim(key, 'c', LEASE_MS)).toBe('acquired')
  })

  it("the time is the server's time at the statement, even in a long transaction with an old snapshot", async () => {
    const key = keyOf()
    const tx = await begin()
    await tx.query('SELECT 1 FROM hookgate_events LIMIT 1')
    await store.claim(key, 'crashed', 50)
    await tx.query('SELECT SLEEP(0.1)')
    expect(await store.with(tx).claim(key, 'b', LEASE_MS)).toBe('acquired')
    expect(await store.with(tx).commit(key, 'b', RETENTION_MS)).toBe('committed')
  })

  it('one of two deliveries at once through verify() takes effect, the other is told to come back', async () => {
    const { listener, deliver } = hmacListener({ id: 'orders', store })
    const delivery = await deliver()
    const [first, second] = [await begin(), await begin()]
    const event = await acceptedEvent(delivery, { ...listener, store: store.with(first) })
    const waiting = outcome(delivery, { ...listener, store: store.with(second) })
    await untilWaiting(1)
    await insert(first, event.id)
    expect(await event.commit()).toBe('committed')
    await first.commit()
    expect(await waiting).toBe('409 event_duplicate')
    expect(await effects(event.id)).toBe(1)
  })
})
