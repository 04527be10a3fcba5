import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { inbox } from '../../src/inbox/index.ts'
import type { PostgresClient } from '../../src/stores/postgres/client.ts'
import { postgresStore } from '../../src/stores/postgres/store.ts'
import { boxListener } from '../inbox/support.ts'
import { acceptedEvent } from '../support/outcome.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { type AppsClient, throughClient } from '../support/through-client.ts'

/** Of an error that is about no job. */
const ABOUT = { listenerId: 'orders', durationMs: 0 }

const WORKS = { store: 'works', put: 'works', work: 'works', list: 'works', versions: 'works', runs: 2 }

/** Nothing but refusals, and no handler ran. */
function refusedWith(what: string) {
  const refusal = expect.stringMatching(
    new RegExp(`^(?:EventStore)?Error: .*does not return what Postgres answered, but ${what}`, 's'),
  )
  const orVerdict = expect.stringMatching(new RegExp(what, 's'))
  return { store: orVerdict, put: orVerdict, work: refusal, list: refusal, versions: refusal, runs: 0 }
}

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('what a client does to the answers of the server'), () => {
  let server: PostgresServer
  let own: pg.Pool
  beforeAll(async () => {
    server = await PostgresServer.start()
    own = new pg.Pool(server.address)
    own.on('error', () => {})
  })
  afterAll(async () => {
    await own?.end()
    await server?.remove()
  })

  /** postgres.js with these settings. */
  function ofPostgresJs(options: postgres.Options<Record<string, postgres.PostgresType>>): AppsClient {
    const sql = postgres({ ...server.address, ...options, onnotice: () => {} })
    onTestFinished(() => sql.end())
    return { client: sql, transaction: (work) => sql.begin((tx) => work(tx)) }
  }

  /** pg whose results pass this. */
  function ofPg(change: (result: pg.QueryResult) => unknown, options: pg.PoolConfig = {}): AppsClient {
    const pool = new pg.Pool({ ...server.address, ...options })
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    const changing = (to: pg.Pool | pg.PoolClient): PostgresClient => ({
      query: async (text, values) => change(await to.query(text, values)),
    })
    return {
      client: changing(pool),
      async transaction(work) {
        const tx = await pool.connect()
        try {
          await tx.query('BEGIN')
          await work(changing(tx))
          await tx.query('COMMIT')
        } catch (error) {
          await tx.query('ROLLBACK')
          throw error
        } finally {
          tx.release()
        }
      },
    }
  }

  const renamed = (name: (column: string) => string) => (result: pg.QueryResult) => ({
    rows: result.rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [name(column), value])),
    ),
  })

  const valued = (change: (value: unknown) => unknown) => (result: pg.QueryResult) => ({
    rows: result.rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, change(value)])),
    ),
  })

  it.each<[string, postgres.Options<Record<string, postgres.PostgresType>>]>([
    ['camel', { transform: postgres.camel }],
    ['pascal', { transform: postgres.pascal }],
    ['kebab', { transform: postgres.kebab }],
    ['camel, both ways', { transform: { ...postgres.camel, undefined: null } }],
    ['undefined', { transform: { undefined: null } }],
    ['column', { transform: { column: (name) => `x_${name}` } }],
    ['a row that is copied', { transform: { row: { from: (row: object) => Object.freeze({ ...row }) } } }],
    [
      'values that look like JSON',
      {
        transform: { value: (text: unknown) => (/^[[{"\d]/.test(`${text}`) ? JSON.parse(`${text}`) : text) },
      },
    ],
  ])('postgres.js may transform %s', async (_, options) => {
    expect(await throughClient(ofPostgresJs(options), own)).toEqual(WORKS)
  })

  it.each<[string, string, postgres.Options<Record<string, postgres.PostgresType>>]>([
    ['values to null', 'null', { transform: { value: () => null } }],
    ['values to undefined', 'undefined', { transform: { value: { from: () => undefined } } }],
    [
      'values to upper case',
      'another text',
      { transform: { value: { from: (v: unknown) => `${v}`.toUpperCase() } } },
    ],
    [
      'values to less of them',
      'a text of another length',
      { transform: { value: { from: (v: unknown) => `${v}`.slice(0, -1) } } },
    ],
    ['rows to their names', 'a row of 2 columns', { transform: { row: { from: () => ({ a: 1, b: 2 }) } } }],
    ['rows to nothing', 'a row of 0 columns', { transform: { row: { from: () => ({}) } } }],
    [
      'all text by a type of its own',
      'Object',
      {
        types: { text: { to: 25, from: [25], serialize: (v: unknown) => v, parse: (v: unknown) => ({ v }) } },
      },
    ],
  ])('postgres.js with a transform of %s is refused before a handler runs', async (_, what, options) => {
    expect(await throughClient(ofPostgresJs(options), own)).toEqual(refusedWith(what))
  })

  it('pg may have type parsers for each type but text, and rows as arrays', async () => {
    const types: pg.CustomTypesConfig = {
      getTypeParser: (id: number) =>
        id === 25 ? pg.types.getTypeParser(25) : (value: unknown) => ({ id, value }),
    }
    expect(
      await throughClient(
        ofPg((result) => result, { types }),
        own,
      ),
    ).toEqual(WORKS)
    const arrays = (result: pg.QueryResult) => ({ rows: result.rows.map((row) => Object.values(row)) })
    expect(await throughClient(ofPg(arrays), own)).toEqual(WORKS)
    const meta = (result: pg.QueryResult) => [result.rows, result]
    expect(await throughClient(ofPg(meta), own)).toEqual(WORKS)
    expect(await throughClient(ofPg(renamed((name) => name.toUpperCase())), own)).toEqual(WORKS)
    expect(await throughClient(ofPg(renamed(() => '')), own)).toEqual(WORKS)
  })

  it.each<[string, string, pg.CustomTypesConfig]>([
    ['Date', 'Date', { getTypeParser: () => (text: unknown) => new Date(`${text}`) }],
    ['Number', 'Number', { getTypeParser: () => Number }],
    ['Boolean', 'Boolean', { getTypeParser: () => Boolean }],
    ['bytes', 'Uint8Array', { getTypeParser: () => (text: unknown) => Buffer.from(`${text}`) }],
    [
      'lower case, spaces trimmed',
      'another text',
      {
        getTypeParser: () => (text: unknown) =>
          `${text}`.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/^a/, 'A'),
      },
    ],
  ])('pg with a parser of text to %s is refused before a handler runs', async (_, what, types) => {
    expect(
      await throughClient(
        ofPg((result) => result, { types }),
        own,
      ),
    ).toEqual(refusedWith(what))
  })

  it('a client that changes letters alone is found by the worker, before a job runs', async () => {
    const lower = valued((value) => (typeof value === 'string' ? value.toLowerCase() : value))
    expect(await throughClient(ofPg(lower), own)).toMatchObject({
      work: expect.stringContaining('another text'),
      runs: 1, // of the store, whose answers are lower case
    })
  })

  it.each<[string, string, (result: pg.QueryResult) => unknown]>([
    ['no rows', '0 rows', () => ({ rows: [] })],
    ['a number of rows', 'Object, which has no rows', ({ rowCount }) => ({ rowCount })],
    ['the first row', 'Object, which has no rows', ({ rows }) => rows[0]],
    ['each row twice', '[246] rows', ({ rows }) => [...rows, ...rows]],
    ['rows with a number', 'a row of 2 columns', ({ rows }) => rows.map((row, n) => ({ ...row, n }))],
  ])('an executor that returns %s is refused before a handler runs', async (_, what, change) => {
    expect(await throughClient(ofPg(change), own)).toEqual(refusedWith(what))
  })

  it('counts, list, get, again, forget, oldest, sweep and check refuse what was changed, and say no number of it', async () => {
    const box = inbox(own, { table: 'numbers' })
    await box.migrate()
    const { client } = ofPg(valued(() => null))
    const behind = inbox(client, { table: 'numbers' })
    const store = postgresStore(client)
    await postgresStore(own).migrate()
    const questions = [
      () => behind.counts(),
      () => behind.again(),
      () => behind.again({ listener: 'orders', eventId: 'x' }),
      () => behind.list(),
      () => behind.get({ listener: 'orders', eventId: 'x' }),
      () => behind.forget({ listener: 'orders', eventId: 'x' }),
      () => behind.oldest(),
      () => store.sweep(),
      () => store.check(),
    ]
    for (const ask of questions) await expect(ask()).rejects.toThrow('Postgres answered, but null')
    const { client: camel } = ofPostgresJs({ transform: postgres.pascal })
    expect(await inbox(camel, { table: 'numbers' }).counts()).toEqual({
      waiting: 0,
      running: 0,
      held: 0,
      dead: 0,
      done: 0,
    })
    expect(await postgresStore(camel).sweep()).toBe(0)
    const [missing] = await postgresStore(camel, { table: 'nowhere' }).check()
    expect(missing?.problem).toContain('the table is missing')
  })

  it('a worker whose client is wrong says so, uses up no attempt, and runs the job once the client is right', async () => {
    let isWrong = true
    const { client } = ofPg((result) => (isWrong ? valued(() => null)(result) : result))
    const ownBox = inbox(own, { table: 'patient' })
    await ownBox.migrate()
    const sender = boxListener(ownBox)
    await ownBox.put(await acceptedEvent(await sender.deliver(), sender.listener))
    const told: unknown[] = []
    const attempts: number[] = []
    const worker = inbox(client, { table: 'patient' }).work(
      sender.listener,
      (_, { attempt }) => attempts.push(attempt),
      { pollMs: 10, random: () => 0, onError: (error, context) => told.push([error, context]) },
    )
    onTestFinished(() => worker.stop())
    await expect.poll(() => told).toHaveLength(1)
    expect(told).toEqual([
      [
        expect.objectContaining({ message: expect.stringMatching(/but null: .*postgres\.js.*Kysely/) }),
        ABOUT,
      ],
    ])
    isWrong = false
    await expect.poll(() => ownBox.counts()).toMatchObject({ done: 1, waiting: 0, running: 0 })
    expect(attempts).toEqual([1])
    expect(told).toHaveLength(1)
  })

  it('a worker without a hook warns of a client that is wrong, with what may have changed the answer', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warn.mockRestore())
    const box = inbox(ofPg(valued(() => null)).client, { table: 'warned' })
    const { listener } = boxListener(box)
    const worker = box.work(listener, () => {}, { pollMs: 10 })
    await expect.poll(() => warn.mock.calls).toHaveLength(1)
    expect(String(warn.mock.calls[0])).toMatch(
      /"orders": away, ERR_EVENT_STORE: .*but null: .*ParseJSONResultsPlugin/,
    )
    await worker.stop()
  })
})

it('PGlite may return rows as arrays', async () => {
  const db = new PGlite()
  const array = (to: { query: PGlite['query'] }): PostgresClient => ({
    query: (text, values) => to.query(text, values, { rowMode: 'array' }),
  })
  const client: AppsClient = {
    client: array(db),
    transaction: (work) => db.transaction((tx) => work(array(tx))),
  }
  expect(await throughClient(client, db)).toEqual(WORKS)
  await db.close()
})
