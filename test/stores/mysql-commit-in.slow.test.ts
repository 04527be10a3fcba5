import express from 'express'
import mariadb from 'mariadb'
import mysqlCallbacks from 'mysql2'
import mysql, { type PoolConnection, type RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook, webhookOf } from '../../adapters/express.ts'
import { ListenerConfigError, type WebhookEvent } from '../../src/index.ts'
import { type MysqlStore, mysqlStore } from '../../src/stores/mysql/store.ts'
import { signHmac } from '../../src/testing/index.ts'
import { hmacListener, SECRET } from '../support/hmac-listener.ts'
import {
  MariadbServer,
  type MysqlServer,
  startMysql,
  WHY_NO_MARIADB,
  WHY_NO_MYSQL,
} from '../support/mariadb-server.ts'
import { serve } from '../support/servers.ts'

const LEASE_MS = 60_000
const RETENTION_MS = 604_800_000
const INSERT = 'INSERT INTO effects VALUES (?)'
const LOST = { name: 'LeaseLostError', code: 'ERR_LEASE_LOST' }
const NO_TRANSACTION = /^tx: has no open transaction/

const keyOf = () => ({ listenerId: 'orders', eventId: crypto.randomUUID() })

/** A connection that the application took from its pool. */
interface Tx {
  query(text: string, values: string[]): Promise<unknown>
  beginTransaction(): Promise<unknown>
  commit(): Promise<unknown>
  rollback(): Promise<unknown>
  release(): unknown
}

/** A pool of one connection. */
interface Pool {
  getConnection(): Promise<Tx>
  query(text: string): Promise<unknown>
  end(): Promise<unknown>
}

describe.skipIf(WHY_NO_MYSQL)('mysqlStore in a transaction of the application, in MariaDB', () => {
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

  /** A connection on which this has been said. It is closed after the test. */
  async function connect(...statements: readonly string[]): Promise<PoolConnection> {
    const connection = await pool.getConnection()
    onTestFinished(() => connection.destroy())
    for (const statement of statements) await connection.query(statement)
    return connection
  }

  const begin = (...statements: readonly string[]) => connect(...statements, 'START TRANSACTION')

  const commitIn = (tx: object, key: ReturnType<typeof keyOf>, owner: string, of = store) =>
    of.commitIn?.(tx, key, owner, RETENTION_MS) ?? expect.unreachable()

  async function claimed(owner = 'a') {
    const key = keyOf()
    expect(await store.claim(key, owner, LEASE_MS)).toBe('acquired')
    return key
  }

  async function effects({ eventId }: { readonly eventId: string }): Promise<number> {
    const [rows] = await pool.query<RowDataPacket[]>('SELECT 1 FROM effects WHERE event_id = ?', [eventId])
    return rows.length
  }

  /** Lets a lease end. */
  const lapse = ({ eventId }: { readonly eventId: string }) =>
    pool.query('UPDATE hookgate_events SET expires_at = UTC_TIMESTAMP(6) WHERE event_id = UNHEX(?)', [
      eventId.replaceAll('-', ''),
    ])

  /** How many transactions wait for a lock. */
  async function waiting(): Promise<unknown> {
    const question = "SELECT count(*) AS n FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'"
    return (await pool.query<RowDataPacket[]>(question))[0][0]?.n
  }

  /** Makes the server choose `tx` as the victim of a deadlock, whose error nobody notices. */
  async function swallowedDeadlock(tx: PoolConnection): Promise<void> {
    const other = await begin()
    await tx.query('UPDATE stock SET n = n + 1 WHERE id = 1')
    await other.query('UPDATE stock SET n = n + 1 WHERE id > 1') // more work, so that this one survives
    const wait = tx.query('UPDATE stock SET n = n + 1 WHERE id = 2').catch((error: unknown) => error)
    // The server's answer is older than that if it is asked every 100 ms or sooner.
    await expect.poll(waiting, { interval: 150 }).toBe(1)
    await other.query('UPDATE stock SET n = n + 1 WHERE id = 1')
    expect(await wait).toMatchObject({ code: 'ER_LOCK_DEADLOCK' })
    await other.rollback()
  }

  const POOLS: Readonly<Record<string, () => Pool>> = {
    mysql2: () => mysql.createPool({ ...server.address, connectionLimit: 1 }),
    'mysql2 with callbacks': () =>
      mysqlCallbacks.createPool({ ...server.address, connectionLimit: 1 }).promise(),
    mariadb: () => mariadb.createPool({ ...server.address, connectionLimit: 1 }),
  }

  describe.each(Object.entries(POOLS))('through %s', (_, create) => {
    async function opened(): Promise<{ own: Pool; tx: Tx }> {
      const own = create()
      onTestFinished(async () => void (await own.end()))
      const tx = await own.getConnection()
      await tx.beginTransaction()
      return { own, tx }
    }

    it('record and effect commit together', async () => {
      const key = await claimed()
      const { tx } = await opened()
      await tx.query(INSERT, [key.eventId])
      expect(await commitIn(tx, key, 'a')).toBe('committed')
      expect(await effects(key)).toBe(0)
      await tx.commit()
      tx.release()
      expect(await effects(key)).toBe(1)
      expect(await store.claim(key, 'a', LEASE_MS)).toBe('done')
    })

    it('record and effect are rolled back together, and its owner still holds the event', async () => {
      const key = await claimed()
      const { tx } = await opened()
      await tx.query(INSERT, [key.eventId])
      expect(await commitIn(tx, key, 'a')).toBe('committed')
      await tx.rollback()
      tx.release()
      expect(await effects(key)).toBe(0)
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('busy')
      expect(await store.claim(key, 'a', LEASE_MS)).toBe('acquired')
    })

    it('a handler that has lost its lease writes nothing, even if it ignores that its commit failed, and its pool goes on', async () => {
      const key = await claimed('late')
      await lapse(key)
      expect(await store.claim(key, 'next', LEASE_MS)).toBe('acquired')
      const { own, tx } = await opened()
      await tx.query(INSERT, [key.eventId])
      await expect(commitIn(tx, key, 'late')).rejects.toMatchObject(LOST)
      await expect(tx.commit()).rejects.toThrow()
      tx.release()
      expect(await effects(key)).toBe(0)
      await own.query('SELECT 1')
      expect(await store.commit(key, 'next', RETENTION_MS)).toBe('committed')
    })
  })

  describe('what is not committed by a handler that ignores the error, because its connection has ended', () => {
    const CAUSES: Readonly<
      Record<string, (tx: PoolConnection, key: ReturnType<typeof keyOf>) => Promise<unknown>>
    > = {
      'the event was done by another owner': async (tx, key) => {
        await lapse(key)
        await store.commit(key, 'b', RETENTION_MS)
        await expect(commitIn(tx, key, 'a')).rejects.toMatchObject(LOST)
      },
      'the event was done by its owner before': async (tx, key) => {
        await store.commit(key, 'a', RETENTION_MS)
        await expect(commitIn(tx, key, 'a')).rejects.toMatchObject(LOST)
      },
      'its owner released it': async (tx, key) => {
        expect(await store.release(key, 'a')).toBe(true)
        await expect(commitIn(tx, key, 'a')).rejects.toMatchObject(LOST)
      },
      'its lease ended, and it was swept': async (tx, key) => {
        await lapse(key)
        await store.sweep()
        await expect(commitIn(tx, key, 'a')).rejects.toMatchObject(LOST)
      },
      'the transaction is on another database, with such a table': async (tx, key) => {
        await pool.query('CREATE DATABASE IF NOT EXISTS tenant')
        await mysqlStore(pool, { table: 'tenant.hookgate_events' }).migrate()
        await tx.query('USE tenant')
        await expect(commitIn(tx, key, 'a')).rejects.toMatchObject(LOST)
      },
      'another transaction has locked the record, and commits it after that': async (tx, key) => {
        const other = await begin()
        await commitIn(other, key, 'a')
        await expect(commitIn(tx, key, 'a')).rejects.toThrow('locked by another open transaction')
        await other.commit()
      },
      'the server rolled it back for a deadlock at commit(tx)': async (tx, key) => {
        await tx.query('UPDATE stock SET n = n + 1 WHERE id = 1')
        const other = await begin('SET SESSION innodb_lock_wait_timeout = 5')
        await other.query('UPDATE stock SET n = n + 1 WHERE id > 1') // more work, so that this one survives
        await other.query('SELECT 1 FROM hookgate_events WHERE event_id = UNHEX(?) FOR UPDATE', [
          key.eventId.replaceAll('-', ''),
        ])
        const wait = other.query('UPDATE stock SET n = n + 1 WHERE id = 1')
        await expect.poll(waiting, { interval: 150 }).toBe(1)
        await expect(commitIn(tx, key, 'a')).rejects.toMatchObject({ code: 'ER_LOCK_DEADLOCK' })
        await wait
        await other.rollback()
        await expect(tx.query(INSERT, [key.eventId])).rejects.toThrow() // would be committed alone
      },
      'the table is missing in the database of the transaction': async (tx, key) => {
        const elsewhere = mysqlStore(pool, { table: 'nowhere' })
        await expect(commitIn(tx, key, 'a', elsewhere)).rejects.toThrow('store.migrate()')
      },
    }

    it.each(Object.entries(CAUSES))('%s', async (_, fail) => {
      const key = await claimed()
      const tx = await begin()
      await tx.query(INSERT, [key.eventId])
      await fail(tx, key)
      await expect(tx.commit()).rejects.toThrow()
      expect(await effects(key)).toBe(0)
    })

    it('its user needs no privilege for that', async () => {
      await pool.query("CREATE USER IF NOT EXISTS hookgate_writer IDENTIFIED BY 'wr1ter'")
      onTestFinished(async () => void (await pool.query('DROP USER hookgate_writer')))
      for (const table of ['hookgate_events', 'effects'])
        await pool.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO hookgate_writer`)
      const tx = await mysql.createConnection({
        ...server.address,
        user: 'hookgate_writer',
        password: 'wr1ter',
      })
      const key = keyOf()
      await store.commit(key, 'b', RETENTION_MS)
      await tx.beginTransaction()
      await tx.query(INSERT, [key.eventId])
      await expect(commitIn(tx, key, 'a')).rejects.toMatchObject(LOST)
      await expect(tx.commit()).rejects.toThrow()
      expect(await effects(key)).toBe(0)
    })
  })

  describe('a transaction that is over, or never began, is refused: nothing is recorded, and its connection goes on', () => {
    const ENDS: Readonly<Record<string, (tx: PoolConnection) => Promise<unknown>>> = {
      'by a deadlock whose error was ignored': swallowedDeadlock,
      'by a deadlock, with a write after it': async (tx) => {
        await swallowedDeadlock(tx)
        await tx.query('UPDATE stock SET n = n + 1 WHERE id = 3')
      },
      'by a COMMIT': (tx) => tx.commit(),
      'by a ROLLBACK': (tx) => tx.rollback(),
      'by a statement that commits without saying so': (tx) =>
        tx.query('CREATE TABLE IF NOT EXISTS other_table (id INT)'),
    }

    it.each(Object.entries(ENDS))('%s', async (_, end) => {
      const key = await claimed()
      const tx = await begin()
      await tx.query(INSERT, [keyOf().eventId])
      await end(tx)
      await expect(commitIn(tx, key, 'a')).rejects.toThrow(ListenerConfigError)
      await expect(commitIn(tx, key, 'a')).rejects.toThrow(NO_TRANSACTION)
      await tx.query('SELECT 1')
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('busy')
      expect(await store.claim(key, 'a', LEASE_MS)).toBe('acquired')
    })

    it('a pool is refused, also in disguise', async () => {
      const key = await claimed()
      const disguised = { query: (text: string, values: string[]) => pool.query(text, values) }
      await expect(commitIn(pool, key, 'a')).rejects.toThrow(
        /^tx: must be the connection of one open transaction/,
      )
      await expect(commitIn(disguised, key, 'a')).rejects.toThrow(NO_TRANSACTION)
      expect(await store.claim(key, 'a', LEASE_MS)).toBe('acquired')
    })

    it('a transaction begun again after its deadlock is open', async () => {
      const key = await claimed()
      const tx = await begin()
      await swallowedDeadlock(tx)
      await tx.beginTransaction()
      expect(await commitIn(tx, key, 'a')).toBe('committed')
      await tx.rollback()
    })
  })

  it.each<[string, (tx: PoolConnection) => Promise<unknown>]>([
    ['nothing was begun', async () => {}],
    ['a transaction was begun', (tx) => tx.beginTransaction()],
    ['a deadlock has ended what was begun', swallowedDeadlock],
  ])('with autocommit off, it is refused, and nothing is committed: %s', async (_, before) => {
    const key = await claimed()
    const tx = await connect('SET autocommit = 0')
    await before(tx)
    await tx.query(INSERT, [key.eventId])
    await expect(commitIn(tx, key, 'a')).rejects.toThrow(/^tx: has autocommit off/)
    await expect(tx.commit()).rejects.toThrow()
    expect(await effects(key)).toBe(0)
    expect(await store.claim(key, 'a', LEASE_MS)).toBe('acquired')
  })

  describe('what the server does not show', () => {
    it('a statement that failed for a lock, and that the handler ignored, is missing from what commits', async () => {
      const key = await claimed()
      const tx = await begin('SET SESSION innodb_lock_wait_timeout = 1')
      const other = await begin()
      await other.query('UPDATE stock SET n = n + 1 WHERE id = 1')
      await tx.query(INSERT, [key.eventId])
      await expect(tx.query('UPDATE stock SET n = n + 1 WHERE id = 1')).rejects.toMatchObject({
        code: 'ER_LOCK_WAIT_TIMEOUT',
      })
      expect(await commitIn(tx, key, 'a')).toBe('committed')
      await tx.commit()
      expect(await effects(key)).toBe(1)
    })

    it('a savepoint that is rolled back takes the record with it: whoever asks later finds the event undone', async () => {
      const key = await claimed()
      const tx = await begin()
      await tx.query(INSERT, [key.eventId])
      await tx.query('SAVEPOINT nested')
      expect(await commitIn(tx, key, 'a')).toBe('committed')
      await tx.query('ROLLBACK TO SAVEPOINT nested')
      await tx.commit()
      expect(await effects(key)).toBe(1)
      expect(await store.claim(key, 'a', LEASE_MS)).toBe('acquired')
    })
  })

  describe.each(['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'])('under %s', (level) => {
    const beginHere = () => begin(`SET SESSION TRANSACTION ISOLATION LEVEL ${level}`)

    it('a handler commits that was renewed twice since it first read and wrote', async () => {
      const key = await claimed()
      const tx = await beginHere()
      await tx.query('SELECT * FROM stock')
      await tx.query(INSERT, [key.eventId])
      for (let renewal = 0; renewal < 2; renewal += 1)
        expect(await store.renew?.(key, 'a', LEASE_MS)).toBe(true)
      expect(await commitIn(tx, key, 'a')).toBe('committed')
      await tx.commit()
      expect(await effects(key)).toBe(1)
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
    })

    it('until it ends, the event is busy for every owner, its renewal finds it locked, and other events go on', async () => {
      const key = await claimed()
      const others = Array.from({ length: 20 }, () => keyOf())
      await Promise.all(others.slice(10).map((other) => store.claim(other, 'a', LEASE_MS)))
      const tx = await beginHere()
      expect(await commitIn(tx, key, 'a')).toBe('committed')
      expect(await Promise.all(['a', 'b'].map((owner) => store.claim(key, owner, LEASE_MS)))).toEqual([
        'busy',
        'busy',
      ])
      expect(await store.renew?.(key, 'a', LEASE_MS)).toBe('locked')
      const answers = await Promise.all(others.map((other) => store.claim(other, 'a', LEASE_MS)))
      expect(new Set(answers)).toStrictEqual(new Set(['acquired']))
      await tx.commit()
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
    })

    it('a late commit of what nobody has claimed since succeeds', async () => {
      const key = await claimed()
      await lapse(key)
      const tx = await beginHere()
      expect(await commitIn(tx, key, 'a')).toBe('committed')
      await tx.commit()
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
    })

    it('commit(tx) answers the same again in its transaction, and is lost in the next', async () => {
      const [key, other] = [await claimed(), await claimed()]
      const tx = await beginHere()
      for (const one of [key, other, key, other, other])
        expect(await commitIn(tx, one, 'a')).toBe('committed')
      await tx.query(INSERT, [key.eventId])
      await tx.commit()
      expect(await effects(key)).toBe(1)
      await tx.beginTransaction()
      await tx.query(INSERT, [key.eventId])
      await expect(commitIn(tx, key, 'a')).rejects.toMatchObject(LOST)
      await expect(tx.commit()).rejects.toThrow()
      expect(await effects(key)).toBe(1)
    })
  })

  it('a commit that was rolled back to a savepoint can be repeated in its transaction', async () => {
    const key = await claimed()
    const tx = await begin('SET SESSION sql_mode = ANSI')
    await tx.query('SAVEPOINT nested')
    expect(await commitIn(tx, key, 'a')).toBe('committed')
    await tx.query('ROLLBACK TO SAVEPOINT nested')
    expect(await commitIn(tx, key, 'a')).toBe('committed')
    await tx.commit()
    expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
  })

  it('savepoints of the application stay as they were', async () => {
    const key = await claimed()
    const tx = await begin()
    await tx.query('SAVEPOINT hookgate')
    await tx.query(INSERT, [key.eventId])
    expect(await commitIn(tx, key, 'a')).toBe('committed')
    await tx.query('ROLLBACK TO SAVEPOINT hookgate')
    await tx.commit()
    expect(await effects(key)).toBe(0)
    expect(await store.claim(key, 'b', LEASE_MS)).toBe('busy')
  })

  it('innodb_snapshot_isolation, as in MariaDB 11.8, asks for READ COMMITTED after a renewal, and commits nothing', async ({
    skip,
  }) => {
    const [found] = await pool.query<RowDataPacket[]>("SHOW VARIABLES LIKE 'innodb_snapshot_isolation'")
    skip(found.length === 0, 'not in this server')
    for (const level of ['REPEATABLE READ', 'SERIALIZABLE', 'READ COMMITTED']) {
      const key = await claimed()
      const isolation = `SET SESSION TRANSACTION ISOLATION LEVEL ${level}`
      const tx = await begin('SET SESSION innodb_snapshot_isolation = ON', isolation)
      await tx.query('SELECT * FROM stock')
      await tx.query(INSERT, [key.eventId])
      expect(await store.renew?.(key, 'a', LEASE_MS)).toBe(true)
      if (level === 'READ COMMITTED') {
        expect(await commitIn(tx, key, 'a')).toBe('committed')
        await tx.commit()
      } else {
        await expect(commitIn(tx, key, 'a')).rejects.toThrow('ISOLATION LEVEL READ COMMITTED')
        await expect(tx.query(INSERT, [key.eventId])).rejects.toThrow() // would be committed alone
      }
      expect(await effects(key)).toBe(level === 'READ COMMITTED' ? 1 : 0)
    }
  })

  it('of two owners that commit at once, one takes effect, in each of 100 races', async () => {
    let wins = 0
    for (let race = 0; race < 100; race += 1) {
      const key = await claimed('first')
      await lapse(key)
      expect(await store.claim(key, 'second', LEASE_MS)).toBe('acquired')
      if (race % 2) await lapse(key)
      const attempt = async (owner: string, end: 'commit' | 'rollback') => {
        const tx = await pool.getConnection()
        try {
          await tx.beginTransaction()
          await tx.query(INSERT, [key.eventId])
          await commitIn(tx, key, owner)
          await tx[end]()
          tx.release()
          return end === 'commit' ? 1 : 0
        } catch {
          tx.destroy()
          return 0
        }
      }
      const ends = race % 5 === 0 ? (['rollback', 'commit'] as const) : (['commit', 'commit'] as const)
      const [a = 0, b = 0] = await Promise.all([attempt('first', ends[0]), attempt('second', ends[1])])
      expect(a + b, `race ${race}`).toBeLessThanOrEqual(1)
      expect(await effects(key)).toBe(a + b)
      const after = await store.claim(key, 'after', LEASE_MS)
      expect(after === 'done').toBe(a + b === 1)
      wins += a + b
    }
    expect(wins).toBeGreaterThan(90)
  })

  describe('behind Express', () => {
    /** Serves a handler, and sends one event to it as often as `send` is called. */
    async function webhook(handle: (event: WebhookEvent) => Promise<unknown>) {
      const told: unknown[] = []
      const onError = (error: unknown) => void told.push(error)
      // A look at a locked event takes a second, and up to two in MySQL.
      const { listener, clock } = hmacListener({ store, leaseSeconds: 5, storeTimeoutSeconds: 3, onError })
      const app = express().post('/hook', verifyWebhook(listener), async (req, res) => {
        await handle(webhookOf(req))
        res.sendStatus(200)
      })
      const { address } = await serve(app)
      const eventId = crypto.randomUUID()
      const { headers, body } = await signHmac({
        secret: SECRET,
        body: '{}',
        eventId,
        timestamp: clock.seconds(),
      })
      const url = `http://127.0.0.1:${Object(address).port}/hook`
      const send = async () => (await fetch(url, { method: 'POST', headers, body })).status
      return { send, told, key: { eventId } }
    }

    it('a transaction that outlives the lease after commit(tx) takes effect once, and nobody hears of a problem', async () => {
      const { send, told, key } = await webhook(async (event) => {
        const tx = await begin()
        await tx.query(INSERT, [event.id])
        await event.commit(tx)
        for (let turn = 0; turn < 6; turn += 1) expect(await send()).toBe(503) // in progress: a second each
        expect(event.signal.aborted).toBe(false)
        await tx.commit()
      })
      expect(await send()).toBe(200)
      expect(await send()).toBe(409)
      expect(await effects(key)).toBe(1)
      expect(told).toEqual([])
    })

    it('a 2xx after a transaction that was rolled back releases the event and tells, so that a resend runs', async () => {
      let end: 'rollback' | 'commit' = 'rollback'
      const { send, told, key } = await webhook(async (event) => {
        const tx = await begin()
        await tx.query(INSERT, [event.id])
        await event.commit(tx)
        await tx[end]()
      })
      expect(await send()).toBe(200)
      await expect.poll(() => told).toEqual([expect.objectContaining({ code: 'ERR_EVENT_STORE' })])
      expect(`${told[0]}`).toContain('was not committed')
      expect(await effects(key)).toBe(0)
      end = 'commit'
      await expect.poll(send).toBe(200)
      expect(await effects(key)).toBe(1)
    })
  })
})

it.skipIf(WHY_NO_MARIADB)(
  'innodb_rollback_on_timeout ends a transaction, so commit(tx) refuses it',
  async () => {
    const server = await MariadbServer.start('innodb-rollback-on-timeout=ON')
    onTestFinished(() => server.remove())
    const pool = mysql.createPool(server.address)
    onTestFinished(() => pool.end())
    const store = mysqlStore(pool)
    await store.migrate()
    const key = keyOf()
    await store.claim(key, 'a', LEASE_MS)
    const [tx, other] = [await pool.getConnection(), await pool.getConnection()]
    onTestFinished(() => [tx, other].forEach((connection) => void connection.destroy()))
    const lock = 'SELECT 1 FROM hookgate_events FOR UPDATE'
    await other.beginTransaction()
    await other.query(lock)
    await tx.query('SET SESSION innodb_lock_wait_timeout = 1')
    await tx.beginTransaction()
    await expect(tx.query(lock)).rejects.toMatchObject({ code: 'ER_LOCK_WAIT_TIMEOUT' })
    await expect(store.commitIn?.(tx, key, 'a', RETENTION_MS)).rejects.toThrow(NO_TRANSACTION)
  },
)
