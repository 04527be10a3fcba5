import { PGlite } from '@electric-sql/pglite'
import pg, { type PoolClient } from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { EventStoreError, ListenerConfigError } from '../../src/index.ts'
import {
  entityVersions,
  entityVersionsSchema,
  type PostgresClient,
  type PostgresQueryClient,
  postgresStore,
} from '../../src/stores/postgres/store.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import fc from '../support/property.ts'

/** Texts that a column of Postgres would refuse, truncate or take for each other. */
const STRANGE = [
  'a\0b',
  'a\\u0000b',
  '\ud800',
  '\udbff',
  '\ufffd',
  ' ',
  '\u00e9',
  'e\u0301',
  "';--",
  'x'.repeat(100_000),
]

/** Each with a version above it. */
const PAIRS = [
  [0, 1],
  [-1, 0],
  [9, 10],
  ['9', '10'],
  ['9007199254740992', '9007199254740993'],
  [Number.MAX_SAFE_INTEGER, 2n ** 53n],
  [10n ** 99n, 10n ** 99n + 1n],
  [new Date(-1), new Date(0)],
  ['2026-11-26T23:59:59Z', '2026-11-27T00:00:00Z'],
  ['2026-11-27T00:00:00Z', '2026-11-27T00:00:00.000000001Z'],
  ['2026-11-27T00:00:00.9Z', '2026-11-27T00:00:00.95Z'],
  ['2026-11-27T01:00:00+02:00', '2026-11-27T00:00:00+00:00'],
  ['1969-12-31T23:59:59.25Z', '1969-12-31T23:59:59.5Z'],
  [new Date('2026-11-27T00:00:00.001Z'), '2026-11-27T00:00:00.0011Z'],
] as const

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('entityVersions'), () => {
  let server: PostgresServer
  let pool: pg.Pool
  const versions = entityVersions()

  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ ...server.address, max: 20 })
    pool.on('error', () => {})
    await versions.migrate(pool)
  })

  afterAll(async () => {
    await pool?.end()
    await server?.remove()
  })

  /** An open transaction. It is rolled back after the test in any case. */
  async function begin(how = ''): Promise<PoolClient> {
    const client = await pool.connect()
    onTestFinished(async () => {
      await client.query('ROLLBACK').catch(() => {})
      client.release()
    })
    await client.query(`BEGIN ${how}`)
    return client
  }

  async function committed(entity: string, version: number | bigint | string | Date): Promise<string> {
    const tx = await pool.connect()
    try {
      await tx.query('BEGIN')
      return await versions.advance(tx, entity, version)
    } finally {
      await tx.query('COMMIT')
      tx.release()
    }
  }

  async function untilWaiting(statements: number): Promise<void> {
    for (;;) {
      const { rows } = await pool.query(
        "SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
      )
      if (rows[0]?.waiting === statements) return
    }
  }

  const rowsOf = async (entity: string) =>
    (await pool.query('SELECT version::text, kind FROM hookgate_versions WHERE entity = $1', [entity])).rows

  describe('advance', () => {
    it('advance answers newer for the first and each higher version, same for an equal one, older for a lower one', async () => {
      const entity = crypto.randomUUID()
      const answers: string[] = []
      for (const version of [5, 5, 4, 6, 5, 6, 7]) answers.push(await committed(entity, version))
      expect(answers).toEqual(['newer', 'same', 'older', 'newer', 'older', 'same', 'newer'])
      expect(await rowsOf(entity)).toEqual([{ version: '7', kind: 'number' }])
    })

    it.each(PAIRS)('advance puts %s below %s', async (low, high) => {
      const entity = crypto.randomUUID()
      expect(await committed(entity, low)).toBe('newer')
      expect(await committed(entity, low)).toBe('same')
      expect(await committed(entity, high)).toBe('newer')
      expect(await committed(entity, low)).toBe('older')
    })

    it('advance takes different spellings of one version for the same', async () => {
      const [number, time] = [crypto.randomUUID(), crypto.randomUUID()]
      expect(await committed(number, 7)).toBe('newer')
      for (const spelling of [7n, '7', '007']) expect(await committed(number, spelling)).toBe('same')
      expect(await committed(time, '2026-11-27T00:00:00.5Z')).toBe('newer')
      for (const spelling of [
        '2026-11-27T00:00:00.500000000Z',
        '2026-11-27T02:00:00.50+02:00',
        new Date('2026-11-27T00:00:00.500Z'),
      ])
        expect(await committed(time, spelling)).toBe('same')
    })

    it('advance keeps the order of any whole numbers and of any times', async () => {
      const tx = await begin()
      const time = fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
      const order = fc.oneof(fc.tuple(fc.maxSafeInteger(), fc.maxSafeInteger()), fc.tuple(time, time))
      await fc.assert(
        fc.asyncProperty(order, fc.uuid(), fc.boolean(), async ([one, other], entity, asText) => {
          const given = asText ? (other instanceof Date ? other.toISOString() : `${other}`) : other
          await versions.advance(tx, entity, one)
          const expected =
            Number(other) > Number(one) ? 'newer' : Number(other) < Number(one) ? 'older' : 'same'
          expect(await versions.advance(tx, entity, given)).toBe(expected)
        }),
      )
    })

    it('advance tells any two entities apart, whatever their characters and length', async () => {
      const tx = await begin()
      const entities = [...STRANGE, ...STRANGE.map((text) => `${text}x`)]
      for (const entity of entities) expect(await versions.advance(tx, entity, 1)).toBe('newer')
      for (const entity of entities) expect(await versions.advance(tx, entity, 1)).toBe('same')
    })

    it('advance forgets what is rolled back', async () => {
      const entity = crypto.randomUUID()
      const tx = await begin()
      await versions.advance(tx, entity, 9)
      await tx.query('ROLLBACK')
      expect(await rowsOf(entity)).toEqual([])
      expect(await committed(entity, 1)).toBe('newer')
    })

    it.each(['newer', 'same', 'older'] as const)(
      'advance locks the entity until the end of its transaction, also if it is %s, and no other entity',
      async (expected) => {
        const entity = crypto.randomUUID()
        await committed(entity, 5)
        const [first, second] = [await begin(), await begin()]
        const given = { newer: 6, same: 5, older: 4 }[expected]
        expect(await versions.advance(first, entity, given)).toBe(expected)
        let ended = false
        const waiting = versions.advance(second, entity, 6).finally(() => {
          ended = true
        })
        await untilWaiting(1)
        expect(await committed(crypto.randomUUID(), 1)).toBe('newer')
        expect(ended).toBe(false)
        await first.query('COMMIT')
        expect(await waiting).toBe(expected === 'newer' ? 'same' : 'newer')
      },
    )

    it('advance waits for a transaction that sees the entity for the first time, and then answers by what it committed', async () => {
      const entity = crypto.randomUUID()
      const [first, ...others] = [await begin(), await begin(), await begin(), await begin()]
      expect(await versions.advance(first, entity, 5)).toBe('newer')
      const waiting = others.map(async (tx, index) => {
        const answer = await versions.advance(tx, entity, 4 + index)
        await tx.query('COMMIT')
        return answer
      })
      await untilWaiting(3)
      await first.query('COMMIT')
      const [lower, equal, higher] = await Promise.all(waiting)
      expect([lower, higher]).toEqual(['older', 'newer'])
      expect(['same', 'older']).toContain(equal) // older if the higher one came first
    })

    it('advance answers newer to exactly one of 16 at once with the same version', async () => {
      for (let round = 0; round < 20; round += 1) {
        const entity = crypto.randomUUID()
        const answers = await Promise.all(Array.from({ length: 16 }, () => committed(entity, 1)))
        expect(answers.toSorted()).toEqual(['newer', ...Array(15).fill('same')])
      }
    })

    it('advance waits no longer than lock_timeout', async () => {
      const entity = crypto.randomUUID()
      const [first, second] = [await begin(), await begin()]
      await versions.advance(first, entity, 1)
      await second.query("SET LOCAL lock_timeout = '50ms'")
      await expect(versions.advance(second, entity, 2)).rejects.toMatchObject({ code: '55P03' })
    })

    it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
      'advance under %s fails if another transaction advanced the entity, and answers nothing that is out of date',
      async (level) => {
        const entity = crypto.randomUUID()
        await committed(entity, 1)
        const tx = await begin(`ISOLATION LEVEL ${level}`)
        await tx.query('SELECT FROM hookgate_versions') // takes its snapshot now
        await committed(entity, 3)
        await expect(versions.advance(tx, entity, 2)).rejects.toMatchObject({ code: '40001' })
      },
    )

    it('advance leaves a transaction in which a statement has failed failed', async () => {
      const tx = await begin()
      await expect(tx.query('SELECT 1 / 0')).rejects.toThrow('division')
      await expect(versions.advance(tx, 'e', 1)).rejects.toMatchObject({ code: '25P02' })
    })
  })

  describe('what advance refuses', () => {
    it.each([
      [undefined],
      [null],
      [1.5],
      [Number.NaN],
      [Infinity],
      [2 ** 53],
      [''],
      ['v7'],
      [' 7'],
      ['7.0'],
      ['1e9'],
      ['1'.repeat(101)],
      [10n ** 100n],
      ['2026-11-27'],
      ['2026-11-27 00:00:00 UTC'],
      ['2026-02-30T00:00:00Z'],
      ['2026.5-11-27T00:00:00Z'],
      ['2026-11-27T00:00:00.0000000001Z'],
      [new Date(Number.NaN)],
      [true],
      [{}],
      [[7]],
    ])('the version %o is refused, and not sent', async (version) => {
      const sent: string[] = []
      const client = { query: async (text: string) => void sent.push(text) }
      const advancing = Reflect.apply(versions.advance, undefined, [client, 'e', version])
      await expect(advancing).rejects.toThrow(ListenerConfigError)
      await expect(advancing).rejects.toThrow(/^version: must be a whole number .*; got \w+$/)
      expect(sent).toEqual([])
    })

    it.each(['', undefined, null, 7, {}])('the entity %o is refused', async (entity) => {
      const advancing = Reflect.apply(versions.advance, undefined, [await begin(), entity, 1])
      await expect(advancing).rejects.toThrow('entity: must be a non-empty string')
    })

    it('a time after a number of the same entity is refused, and so is the reverse; neither changes what is known', async () => {
      const [number, time] = [crypto.randomUUID(), crypto.randomUUID()]
      await committed(number, 7)
      await committed(time, '2026-11-27T00:00:00Z')
      await expect(committed(number, new Date())).rejects.toThrow(
        'version: is a time, unlike the versions of this entity so far: numbers and times have no common order',
      )
      await expect(committed(time, 2n ** 62n)).rejects.toThrow('version: is a number')
      expect([await committed(number, 7), await committed(time, '2026-11-27T00:00:00Z')]).toEqual([
        'same',
        'same',
      ])
    })

    it('a pool and a root handle are refused before anything is sent', async () => {
      const sql = postgres(server.address)
      onTestFinished(() => sql.end())
      for (const root of [pool, sql]) {
        await expect(versions.advance(root, 'never', 1)).rejects.toThrow(
          'tx: must be the client of one open transaction',
        )
      }
      expect(await rowsOf('never')).toEqual([])
    })

    it('an executor that runs on no transaction, as that of an ORM outside its transaction, is refused, and writes nothing', async () => {
      const root = { query: (text: string, values: string[]) => pool.query(text, values) }
      const client = await pool.connect() // without BEGIN
      onTestFinished(() => client.release())
      const sql = postgres({ ...server.address, max: 1 })
      onTestFinished(() => sql.end())
      const unsafe = { unsafe: (text: string, values: string[]) => sql.unsafe(text, values) }
      for (const tx of [root, client, unsafe]) {
        await expect(versions.advance(tx, 'never', 1)).rejects.toThrow(
          'tx: advance(tx) takes the client of an open transaction',
        )
        await expect(versions.advance(tx, 'never', 1)).rejects.toThrow(
          'tx: advance(tx) takes the client of an open transaction',
        )
      }
      expect(await rowsOf('never')).toEqual([])
    })

    it('a client whose transaction has ended is refused, although it was marked as open', async () => {
      const tx = await begin()
      await versions.advance(tx, 'ended', 1)
      await tx.query('COMMIT')
      await expect(versions.advance(tx, 'ended', 2)).rejects.toThrow(
        'tx: advance(tx) takes the client of an open transaction',
      )
      expect(await rowsOf('ended')).toEqual([{ version: '1', kind: 'number' }])
    })

    it('a client that answers something else is refused, so that no event is skipped for it', async () => {
      for (const rows of [[], [{}], [{ answer: 'sooner' }]]) {
        const client = { query: async () => ({ rows }) }
        await expect(versions.advance(client, 'e', 1)).rejects.toThrow(EventStoreError)
      }
    })

    it('a missing table is named, with its mend', async () => {
      const missing = entityVersions({ table: 'not_there' })
      await expect(missing.advance(await begin(), 'e', 1)).rejects.toThrow(
        'run `await versions.migrate(client)` once',
      )
    })

    it.each([{ tabel: 'x' }, { table: 'x;y' }, { table: 'x'.repeat(53) }])(
      'the options %o are refused',
      (options) => {
        expect(() => entityVersions(options)).toThrow(ListenerConfigError)
      },
    )
  })

  describe('migrate', () => {
    it('migrate may run in many processes at once, and again, and keeps what is known', async () => {
      await pool.query('CREATE SCHEMA "Webhooks"')
      const own = entityVersions({ table: 'Webhooks.order' })
      await Promise.all(Array.from({ length: 8 }, () => own.migrate(pool)))
      const tx = await begin()
      await own.advance(tx, 'e', 1)
      await own.migrate(pool) // waits for no transaction
      expect(await own.advance(tx, 'e', 1)).toBe('same')
    })

    it('migrate does what entityVersionsSchema prints', async () => {
      await pool.query(entityVersionsSchema('by_hand'))
      await pool.query(entityVersionsSchema('by_hand'))
      await entityVersions({ table: 'by_code' }).migrate(pool)
      const shape = async (table: string) =>
        (
          await pool.query(
            'SELECT column_name, data_type, is_nullable, collation_name FROM information_schema.columns WHERE table_name = $1',
            [table],
          )
        ).rows
      expect(await shape('by_hand')).toHaveLength(5)
      expect(await shape('by_code')).toEqual(await shape('by_hand'))
    })
  })

  describe('in the transactions of clients', () => {
    const works = async (run: (work: (tx: PostgresClient) => Promise<void>) => Promise<unknown>) => {
      const entity = crypto.randomUUID()
      const answers: string[] = []
      for (const version of [2, 1, 2, 3]) {
        await run(async (tx) => void answers.push(await versions.advance(tx, entity, version)))
      }
      expect(answers).toEqual(['newer', 'older', 'same', 'newer'])
    }

    it('advance works in the transaction of postgres.js', async () => {
      const sql = postgres(server.address)
      onTestFinished(() => sql.end())
      await works((work) => sql.begin((tx) => work(tx)))
    })

    it('advance works in a savepoint, and forgets what is rolled back to it', async () => {
      const tx = await begin()
      await tx.query('SAVEPOINT before')
      expect(await versions.advance(tx, 'saved', 1)).toBe('newer')
      await tx.query('ROLLBACK TO before')
      expect(await versions.advance(tx, 'saved', 1)).toBe('newer')
    })

    it('advance works through an executor of { query }, as ORMs have it', async () => {
      await works(async (work) => {
        const tx = await begin()
        await work({ query: (text, values) => tx.query(text, values).then(({ rows }) => rows) })
        await tx.query('COMMIT')
      })
    })

    it('advance and commit(tx) take one round trip each after a write, and the first one takes two in a transaction that wrote nothing', async () => {
      const store = postgresStore(pool)
      await store.migrate()
      const trips = async (work: (tx: PostgresQueryClient) => unknown, tx: PoolClient) => {
        let sent = 0
        const counting = {
          query(text: string, values: string[]) {
            sent += 1
            return tx.query(text, values)
          },
        }
        await work(counting)
        return sent
      }
      const entity = crypto.randomUUID()
      await store.claim({ listenerId: 'versions', eventId: entity }, 'owner', 60_000)
      const advance = (tx: PostgresQueryClient) => versions.advance(tx, entity, 1)
      const commit = (tx: PostgresQueryClient) =>
        store.commitIn?.(tx, { listenerId: 'versions', eventId: entity }, 'owner', 60_000)
      for (const works of [
        [advance, commit],
        [commit, advance],
      ]) {
        const tx = await begin()
        const counts: number[] = []
        for (const work of [...works, ...works]) counts.push(await trips(work, tx))
        expect(counts).toEqual([2, 1, 1, 1])
        await tx.query('ROLLBACK')
      }
      const written = await begin()
      await written.query('SELECT txid_current()')
      expect([await trips(advance, written), await trips(commit, written)]).toEqual([1, 1])
    })

    it('advance works in PGlite, in its own transactions and between BEGIN and COMMIT, and nowhere else', async () => {
      const db = new PGlite()
      onTestFinished(() => db.close())
      await versions.migrate(db)
      await works((work) => db.transaction((tx) => work(tx)))
      await works(async (work) => {
        await db.exec('BEGIN')
        await work(db)
        await db.exec('COMMIT')
      })
      await expect(versions.advance(db, 'never', 1)).rejects.toThrow(
        'tx: advance(tx) takes the client of an open transaction',
      )
      const { rows } = await db.query("SELECT FROM hookgate_versions WHERE entity = 'never'")
      expect(rows).toEqual([])
    })
  })
})
