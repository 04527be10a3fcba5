import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { PGlite, type Transaction } from '@electric-sql/pglite'
import type { PoolClient as NeonPoolClient } from '@neondatabase/serverless'
import pg, { type PoolClient } from 'pg'
import postgres, { type TransactionSql } from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { EventStore } from '../../src/index.ts'
import { withDeadline } from '../../src/lib/clock.ts'
import type { PostgresClient } from '../../src/stores/postgres/client.ts'
import { type EventTransactions, type PostgresStore, postgresStore } from '../../src/stores/postgres/store.ts'
import { connectNeon, type NeonClients } from '../support/neon-front.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { randomNumbers } from '../support/random-numbers.ts'

const LEASE_MS = 60_000
const RETENTION_MS = 604_800_000
const INSERT = 'INSERT INTO effects VALUES ($1, $2)'
const OVER = { code: 'ERR_TRANSACTION_OVER' }
const SCHEMA = 'CREATE TABLE IF NOT EXISTS effects (event_id text, note text)'

/** Prepares a statement while the transaction is open. The result runs it. */
type Way<Tx> = (tx: Tx, values: [id: string, note: string]) => () => unknown

const PG_WAYS: Readonly<Record<string, Way<PoolClient>>> = {
  'a text': (tx, values) => () => tx.query(INSERT, values),
  'a text with a callback': (tx, values) => () =>
    new Promise<void>((resolve, reject) => {
      tx.query(INSERT, values, (error) => (error ? reject(error) : resolve()))
    }),
  'an object': (tx, values) => () => tx.query({ text: INSERT, values }),
  'a statement of its own class': (tx, values) => () =>
    new Promise<void>((resolve, reject) => {
      // The types know only its promise.
      const callback = (error: unknown) => (error ? reject(error) : resolve())
      tx.query(Object.assign(new pg.Query(INSERT, values), { callback }))
    }),
  'a statement that emits its failure': (tx, values) => () =>
    new Promise<void>((resolve, reject) => {
      tx.query(new pg.Query(INSERT, values).on('error', reject).on('end', () => resolve()))
    }),
  'a statement that hears of its failure by itself, as a stream of COPY does': (tx, values) => () =>
    new Promise<void>((resolve, reject) => {
      const statement = new pg.Query(INSERT, values).on('end', () => resolve())
      tx.query(Object.assign(statement, { callback: () => {}, handleError: reject }))
    }),
  'a method taken off before': (tx, values) => {
    const query = tx.query.bind(tx)
    return () => query(INSERT, values)
  },
  'the method of its class': (tx, values) => () =>
    Reflect.apply(pg.Client.prototype.query, tx, [INSERT, values]),
}

const folder = mkdtempSync(join(tmpdir(), 'hookgate-transaction-over-'))
const file = join(folder, 'insert.sql')
writeFileSync(file, INSERT)

const POSTGRES_JS_WAYS: Readonly<Record<string, Way<TransactionSql>>> = {
  'a statement': (tx, values) => () => tx`INSERT INTO effects VALUES (${values[0]}, ${values[1]})`,
  ...lazily('a statement built before', (statement) => statement),
  ...lazily('execute()', (statement) => statement.execute()),
  ...lazily('then()', (statement) => statement.then((rows) => rows)),
  ...lazily('catch()', (statement) =>
    statement.catch((error) => {
      throw error
    }),
  ),
  ...lazily('finally()', (statement) => statement.finally(() => {})),
  ...lazily('simple()', (statement) => statement.simple(), true),
  ...lazily('values()', (statement) => statement.values()),
  ...lazily('raw()', (statement) => statement.raw()),
  ...lazily('describe(), then as it is', async (statement) => {
    await statement.describe()
  }),
  ...lazily('forEach()', (statement) => statement.forEach(() => {})),
  ...lazily('cursor(callback)', (statement) => statement.cursor(1, () => {})),
  'a cursor made before': (tx, [id, note]) => {
    const cursor = tx`INSERT INTO effects VALUES (${id}, ${note}) RETURNING note`.cursor()
    return async () => {
      for await (const _ of cursor);
    }
  },
  'a stream into a table': (tx, [id, note]) => {
    const statement = tx`COPY effects FROM STDIN`
    return async () => {
      const lines = new PassThrough()
      lines.end(`${id}\t${note}\n`)
      await pipeline(lines, await statement.writable())
    }
  },
  'a fragment in a statement': (tx, [id, note]) => {
    const fragment = tx`(${id}, ${note})`
    const statement = tx`INSERT INTO effects VALUES ${fragment}`
    return () => statement
  },
  'the client, bound before': (tx, [id, note]) => {
    const bound = tx.bind(undefined)
    return () => bound`INSERT INTO effects VALUES (${id}, ${note})`
  },
  'the client, called by Reflect': (tx, [id, note]) => {
    const insert = (strings: TemplateStringsArray, ...values: string[]) =>
      Reflect.apply(tx, undefined, [strings, ...values])
    return () => insert`INSERT INTO effects VALUES (${id}, ${note})`
  },
  'a helper in a statement': (tx, [event_id, note]) => {
    const statement = tx`INSERT INTO effects ${tx({ event_id, note })}`
    return () => statement
  },
  unsafe: (tx, values) => () => tx.unsafe(INSERT, values),
  'unsafe, built before': (tx, values) => {
    const statement = tx.unsafe(INSERT, values)
    return () => statement
  },
  'unsafe, taken off before':
    ({ unsafe }, values) =>
    () =>
      unsafe(INSERT, values),
  file: (tx, values) => () => tx.file(file, values),
  'file, built before': (tx, values) => {
    const statement = tx.file(file, values)
    return () => statement
  },
  savepoint: (tx, values) => () => tx.savepoint((inner) => inner.unsafe(INSERT, values)),
  'savepoint, taken off before':
    ({ savepoint }, values) =>
    () =>
      savepoint((inner) => inner.unsafe(INSERT, values)),
}

/** A statement that was built before, and runs like this. */
function lazily(
  name: string,
  run: (statement: postgres.PendingQuery<postgres.Row[]>) => PromiseLike<unknown>,
  isSimple = false,
): Record<string, Way<TransactionSql>> {
  const way: Way<TransactionSql> = (tx, [id, note]) => {
    const statement = isSimple
      ? tx`INSERT INTO effects VALUES (${tx.unsafe(`'${id}'`)}, ${tx.unsafe(`'${note}'`)})`
      : tx`INSERT INTO effects VALUES (${id}, ${note})`
    return async () => {
      await run(statement)
      await statement
    }
  }
  return { [name]: way }
}

const PGLITE_WAYS: Readonly<Record<string, Way<Transaction>>> = {
  query: (tx, values) => () => tx.query(INSERT, values),
  'query, taken off before':
    ({ query }, values) =>
    () =>
      query(INSERT, values),
  sql:
    (tx, [id, note]) =>
    () =>
      tx.sql`INSERT INTO effects VALUES (${id}, ${note})`,
  exec:
    (tx, [id, note]) =>
    () =>
      tx.exec(`INSERT INTO effects VALUES ('${id}', '${note}')`),
}

/** Opens the transaction of a new event. */
async function open<Tx extends PostgresClient>(events: EventTransactions<Tx>, leaseMs = LEASE_MS) {
  const [id, owner, event] = [crypto.randomUUID(), crypto.randomUUID(), {}]
  const key = { listenerId: 'orders', eventId: id }
  expect(await events.claim(key, owner, leaseMs)).toBe('acquired')
  events.accepted?.(event, owner)
  const isOpen = () => {
    try {
      return Boolean(events.transactionOf(event))
    } catch {
      return false
    }
  }
  return {
    id,
    tx: events.transactionOf(event),
    commit: async () => events.commit(key, owner, RETENTION_MS),
    release: async () => events.release(key, owner),
    lapse: () => expect.poll(isOpen, { interval: 5 }).toBe(false),
    key,
  }
}

const ENDS = [
  ['commit', LEASE_MS],
  ['release', LEASE_MS],
  ['lapse', 100],
] as const

/** How many effects an event has: all, or those with this note. */
type Count = (id: string, note?: string) => Promise<number>

/** No statement gets through after the end of its transaction. */
function refusesLateStatements<Tx extends PostgresClient>(
  ways: Readonly<Record<string, Way<Tx>>>,
  given: () => { events: EventTransactions<Tx>; count: Count },
) {
  describe.each(Object.entries(ways))('%s', (_, way) => {
    it.each(ENDS)('the client fails after %s and writes nothing', async (end, leaseMs) => {
      const { events, count } = given()
      const event = await open(events, leaseMs)
      await way(event.tx, [event.id, 'in time'])()
      const run = way(event.tx, [event.id, 'late'])
      await event[end]()
      await expect((async () => run())()).rejects.toMatchObject(OVER)
      // With one connection, the next event would commit it.
      const next = await open(events)
      await next.commit()
      expect(await count(event.id, 'late')).toBe(0)
    })
  })
}

interface Race<Tx extends PostgresClient> {
  readonly events: EventTransactions<Tx>
  readonly count: Count
  /** On another connection. */
  readonly store: EventStore
  /** Ends one connection of `events`, or none. */
  kill?(): Promise<unknown>
}

/**
 * Handlers whose halves race with each other, with the end and with the killer of connections. An event that is done has all the
 * effects that its handler was told of, and any other has none.
 */
async function race<Tx extends PostgresClient>(
  { events, count, store, kill }: Race<Tx>,
  insert: (tx: Tx, values: [string, string]) => PromiseLike<unknown>,
  handlers: number,
  seed: number,
  halves = 3,
) {
  const random = randomNumbers(seed)
  const turns = async () => {
    for (let turn = Math.floor(random() * 40); turn > 0; turn -= 1) {
      await (random() < 0.2 ? new Promise(setImmediate) : undefined)
    }
  }
  const handler = async () => {
    const lapses = random() < 0.2
    const opening = open(events, lapses ? 1 + Math.floor(random() * 20) : LEASE_MS)
    // If its connection is killed, the claim fails, or never ends: a listener waits for storeTimeoutSeconds.
    const event = await (kill ? withDeadline(opening, 1000, Error).catch(() => undefined) : opening)
    if (event === undefined) return
    const outcomes: boolean[] = []
    const half = async () => {
      for (let index = 0; index < 6; index += 1) {
        await turns()
        const inserted = Promise.resolve(insert(event.tx, [event.id, `${index}`]))
        outcomes.push(
          await inserted.then(
            () => true,
            () => false,
          ),
        )
      }
    }
    const end = async () => {
      await turns()
      return (random() < 0.5 ? event.commit() : event.release()).catch(({ code }) =>
        code === 'ERR_LEASE_LOST' ? 'lost' : 'failed',
      )
    }
    const killing = async () => {
      await turns()
      await kill?.()
    }
    const working = Array.from({ length: halves }, half)
    const [answer] = await Promise.all([end(), killing(), ...working])
    expect(outcomes).toHaveLength(6 * halves)
    // Waits for the server to end a transaction whose connection was closed.
    const isDone = (await store.claim(event.key, 'judge', LEASE_MS)) === 'done'
    expect(await count(event.id)).toBe(isDone ? outcomes.filter(Boolean).length : 0)
    if (answer !== 'failed') expect(isDone).toBe(answer === 'committed')
  }
  await Promise.all(Array.from({ length: handlers }, handler))
}

const COUNT = 'SELECT count(*)::int AS effects FROM effects WHERE event_id = $1 AND note LIKE $2'

const VICTIM = 'victim'
const KILL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1
  AND backend_type = 'client backend' ORDER BY random() LIMIT 1`

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('after the end of its transaction'), () => {
  let server: PostgresServer
  let admin: pg.Pool
  let store: PostgresStore
  const kill = () => admin.query(KILL, [VICTIM])
  const count: Count = async (id, note = '%') => (await admin.query(COUNT, [id, note])).rows[0].effects

  beforeAll(async () => {
    server = await PostgresServer.start()
    admin = new pg.Pool(server.address)
    store = postgresStore(admin)
    await store.migrate()
    await admin.query(SCHEMA)
  })

  afterAll(async () => {
    await admin?.end()
    await server?.remove()
    rmSync(folder, { recursive: true })
  })

  describe.each([1, 3])('with pg and %s connections', (max) => {
    let pool: pg.Pool
    let events: EventTransactions<PoolClient>

    beforeAll(() => {
      pool = new pg.Pool({ ...server.address, max, application_name: VICTIM })
      pool.on('error', () => {})
      pool.on('connect', (client) => client.on('error', () => {})) // it may be killed before connect() returns
      events = postgresStore(pool).transactionPerEvent({ connect: () => pool.connect() })
    })

    afterAll(() => pool?.end())

    refusesLateStatements(PG_WAYS, () => ({ events, count }))

    it('a promise of its own class is awaited after the end', async () => {
      class OwnPromise<T> extends Promise<T> {}
      const own = new pg.Pool({ ...server.address, max, Promise: OwnPromise })
      onTestFinished(() => own.end())
      const event = await open(postgresStore(own).transactionPerEvent({ connect: () => own.connect() }))
      const writing = event.tx.query(INSERT, [event.id, 'in time'])
      expect(await event.commit()).toBe('committed')
      expect((await writing).rowCount).toBe(1)
      expect(await count(event.id)).toBe(1)
    })

    it.each(['commit', 'release'] as const)(
      'an inner part of the client writes nothing after %s',
      async (end) => {
        const event = await open(events)
        const connection: unknown = Reflect.get(event.tx, 'connection')
        await event[end]()
        const next = await open(events)
        Reflect.get(Object(connection), 'query').call(
          connection,
          `INSERT INTO effects VALUES ('${event.id}', 'late')`,
        )
        await next.commit()
        expect(await count(event.id)).toBe(0)
      },
    )

    it('every effect exists, or none, when handlers race with the end', async () => {
      for (let round = 0; round < 40; round += 1) {
        await race({ events, count, store }, (tx, values) => tx.query(INSERT, values), max, round)
      }
    })

    it('every effect exists, or none, when connections are killed', async () => {
      for (let round = 0; round < 40; round += 1) {
        await race({ events, count, store, kill }, (tx, values) => tx.query(INSERT, values), max, round)
      }
    })
  })

  describe("with neon's Pool", () => {
    let neon: NeonClients
    let events: EventTransactions<NeonPoolClient>

    beforeAll(async () => {
      neon = await connectNeon(server)
      events = postgresStore(neon.pool).transactionPerEvent({ connect: () => neon.pool.connect() })
    })

    afterAll(() => neon?.close())

    const ways: Readonly<Record<string, Way<NeonPoolClient>>> = {
      'a text': (tx, values) => () => tx.query(INSERT, values),
      'a method taken off before': (tx, values) => {
        const query = tx.query.bind(tx)
        return () => query(INSERT, values)
      },
    }

    refusesLateStatements(ways, () => ({ events, count }))
  })

  describe.each([1, 3])('with postgres.js and %s connections', (max) => {
    const connect = () => {
      const sql = postgres({
        ...server.address,
        max,
        backoff: () => 0,
        fetch_types: false, // its query of types has no catch
        onnotice: () => {},
        connection: { application_name: VICTIM },
      })
      const events = postgresStore(sql).transactionPerEvent({
        begin: (work: (tx: TransactionSql) => Promise<void>) => sql.begin(work),
      })
      return { sql, events }
    }
    let sql: postgres.Sql
    let events: EventTransactions<TransactionSql>

    beforeAll(() => {
      ;({ sql, events } = connect())
    })

    afterAll(() => sql?.end({ timeout: 1 }))

    refusesLateStatements(POSTGRES_JS_WAYS, () => ({ events, count }))

    const mistakes: Readonly<Record<string, (tx: TransactionSql) => PromiseLike<unknown>>> = {
      'a value that is undefined': (tx) => tx.unsafe('SELECT $1', [undefined as never]), // as JavaScript can
      'a type that throws': (tx) =>
        tx`SELECT ${tx.typed({ toString: () => expect.unreachable() } as never, 25)}`,
      'a file that is missing': (tx) => tx.file(join(folder, 'missing.sql')),
    }

    it.each(Object.entries(mistakes))('a savepoint undoes %s, and the event commits', async (_, mistake) => {
      const event = await open(events)
      const failure = await event.tx.savepoint(mistake).catch((error: unknown) => error)
      expect(failure).not.toMatchObject(OVER)
      await event.tx.unsafe(INSERT, [event.id, 'in time'])
      expect(await event.commit()).toBe('committed')
      expect(await count(event.id)).toBe(1)
    })

    const inserts: Readonly<
      Record<string, (tx: TransactionSql, values: [string, string]) => PromiseLike<unknown>>
    > = {
      'a statement': (tx, values) => tx.unsafe(INSERT, values),
      'a file': (tx, values) => tx.file(file, values),
      'a savepoint': (tx, values) => tx.savepoint((inner) => inner.unsafe(INSERT, values)),
    }

    it.each([
      ['a statement', 3],
      ['a file', 3],
      ['a savepoint', 1], // savepoints that overlap undo each other
    ])('every effect of %s exists, or none, when handlers race with the end', async (name, halves) => {
      const insert = inserts[name] ?? expect.unreachable()
      for (let round = 0; round < 20; round += 1)
        await race({ events, count, store }, insert, max, round, halves)
    })

    it('every effect exists, or none, when connections are killed', async () => {
      for (let round = 0; round < 40; round += 1) {
        const mortal = connect() // whose pool may lose a connection for good
        const insert = (tx: TransactionSql, values: [string, string]) => tx.unsafe(INSERT, values)
        await race({ events: mortal.events, count, store, kill }, insert, max, round)
        void mortal.sql.end({ timeout: 0 })
      }
    })
  })
})

describe('with PGlite, after the end of its transaction', () => {
  const db = new PGlite()
  const count: Count = async (id, note = '%') =>
    (await db.query<{ effects: number }>(COUNT, [id, note])).rows[0]?.effects ?? 0
  const store = postgresStore(db)
  let events: EventTransactions<Transaction>

  beforeAll(async () => {
    await store.migrate()
    await db.exec(SCHEMA)
    events = store.transactionPerEvent({
      begin: (work: (tx: Transaction) => Promise<void>) => db.transaction(work),
    })
  })

  afterAll(() => db.close())

  refusesLateStatements(PGLITE_WAYS, () => ({ events, count }))

  it('every effect exists, or none, when handlers race with the end', async () => {
    for (let round = 0; round < 20; round += 1) {
      await race({ events, count, store }, (tx, values) => tx.query(INSERT, values), 1, round)
    }
  })
})
