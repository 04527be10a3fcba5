import { Client, Pool } from 'pg'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { EventStoreError, ListenerConfigError } from '../../src/index.ts'
import { type PostgresClient, postgresSchema, postgresStore } from '../../src/stores/postgres/store.ts'

const KEY = { listenerId: 'orders', eventId: '7f1d3c5e-0a4b-4c8d-9e2f-000000000001' }

/** A client that gives these answers in turn, and throws those that are an Error. */
function answering(...answers: readonly unknown[]) {
  const sent: { text: string; values: string[] }[] = []
  const client = {
    async query(text: string, values: string[]): Promise<unknown> {
      sent.push({ text, values })
      const answer = answers[sent.length - 1]
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  return { client, sent }
}

const rows = (answer: string) => ({ rows: [{ answer: `a1:${answer.length}:${answer}` }] })

const refused = (fields: object) => Object.assign(new Error('could not serialize access'), fields)

describe('clients', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a connection string', 'postgres://localhost/webhooks'],
    ['an object', {}],
    ['a function', () => {}],
    ['something like ioredis', { call() {}, sendCommand() {} }],
    ['something like Drizzle', { execute() {}, select() {} }],
  ])('%s is not a client, and the error names the supported ones', (_, client) => {
    // Deliberately not clients.
    const create = () => postgresStore(client as unknown as PostgresClient)
    expect(create).toThrow(ListenerConfigError)
    expect(create).toThrow(/^client: .*pg.*postgres\.js.*PGlite.*neon/)
  })

  it('the store prefers query to unsafe, which has another meaning on neon()', async () => {
    const { client, sent } = answering(rows('acquired'))
    const neon = Object.assign(() => {}, { ...client, unsafe: () => expect.unreachable() })
    expect(await postgresStore(neon).claim(KEY, 'a', 1)).toBe('acquired')
    expect(sent[0]?.values).toStrictEqual([KEY.eventId, 'orders', 'a', '1'])
  })

  it.each([[undefined], [null], [7], ['acquired'], [{}], [{ rows: 1 }], [{ rowCount: 1 }]])(
    'an answer of %j is not rows, and decides nothing',
    async (answer) => {
      const claim = postgresStore(answering(answer).client).claim(KEY, 'a', 1)
      await expect(claim).rejects.toThrow(EventStoreError)
    },
  )

  it.each([[rows('granted')], [[{}]], [[{ answer: true }]], [rows('committed')]])(
    'rows of %j decide nothing',
    async (answer) => {
      const claim = postgresStore(answering(answer).client).claim(KEY, 'a', 1)
      await expect(claim).rejects.toThrow(EventStoreError)
      const release = postgresStore(answering(answer).client).release(KEY, 'a')
      await expect(release).rejects.toThrow(EventStoreError)
      const renewal = postgresStore(answering(answer).client).renew?.(KEY, 'a', 1)
      await expect(renewal).rejects.toThrow(EventStoreError)
    },
  )

  it('a claim that another one outran is busy', async () => {
    expect(await postgresStore(answering(rows('none')).client).claim(KEY, 'a', 1)).toBe('busy')
  })

  it('a renewal that found nothing is not sent again', async () => {
    const { client, sent } = answering(rows('none'), rows('renewed'))
    expect(await postgresStore(client).renew?.(KEY, 'a', 1.5)).toBe(false)
    expect(await postgresStore(client).renew?.(KEY, 'a', 1)).toBe(true)
    expect(sent.map(({ values }) => values)).toStrictEqual([
      [KEY.eventId, 'orders', 'a', '1.5'],
      [KEY.eventId, 'orders', 'a', '1'],
    ])
  })

  it('a commit that another statement outran is sent again, and fails if each one is', async () => {
    const none = rows('none')
    const { client, sent } = answering(none, none, rows('already'))
    expect(await postgresStore(client).commit(KEY, 'a', 1)).toBe('already')
    expect(sent).toHaveLength(3)
    const never = answering(none, none, none, none, none, none)
    await expect(postgresStore(never.client).commit(KEY, 'a', 1)).rejects.toThrow(EventStoreError)
    expect(never.sent).toHaveLength(5)
  })

  it.each([{ code: '40001' }, { code: 'ERR_POSTGRES_SERVER_ERROR', errno: '40001' }])(
    'a serialization failure (%j) is retried at most five times',
    async (fields) => {
      const once = answering(refused(fields), rows('busy'))
      expect(await postgresStore(once.client).claim(KEY, 'a', 1)).toBe('busy')
      const renewal = answering(refused(fields), rows('renewed'))
      expect(await postgresStore(renewal.client).renew?.(KEY, 'a', 1)).toBe(true)
      const always = answering(...Array.from({ length: 9 }, () => refused(fields)))
      await expect(postgresStore(always.client).claim(KEY, 'a', 1)).rejects.toThrow('serialize')
      expect(always.sent).toHaveLength(5)
    },
  )

  it('other failures are passed on at once', async () => {
    const { client, sent } = answering(refused({ code: '53100' }))
    await expect(postgresStore(client).claim(KEY, 'a', 1)).rejects.toMatchObject({ code: '53100' })
    expect(sent).toHaveLength(1)
  })

  it('a renewal without the table names the fix', async () => {
    const renewal = postgresStore(answering(refused({ code: '42P01' })).client).renew?.(KEY, 'a', 1)
    await expect(renewal).rejects.toThrow(/migrate\(\)/)
  })
})

describe('ORMs', () => {
  const shape = (...methods: string[]) => Object.fromEntries(methods.map((name) => [name, () => {}]))

  const shapes: readonly [orm: string, executor: string, client: object][] = [
    ['Prisma', 'client.$queryRawUnsafe(text, ...values)', shape('$queryRawUnsafe', '$transaction')],
    ['Drizzle', 'client.execute(sql.join(', shape('execute', 'select', 'insert', 'transaction')],
    ['Kysely', 'client.executeQuery(CompiledQuery.raw(text, values))', shape('executeQuery', 'selectFrom')],
    [
      'Knex',
      "client.raw(text.replace(/\\$\\d+/g, '?')",
      Object.assign(() => {}, shape('raw', 'batchInsert')),
    ],
    ['MikroORM', 'client.fork().execute(text.replace(', shape('getTransactionContext', 'execute', 'insert')],
    ['Sequelize', 'client.query(text, { bind: values', shape('getQueryInterface', 'query')],
    ["Sequelize's transaction", 'transaction: client }', shape('afterCommit', 'rollback')],
  ]

  it.each(shapes)('a client of %s is refused with its executor', async (orm, executor, client) => {
    const create = () => postgresStore(client as PostgresClient) // deliberately not a client
    expect(create).toThrow(ListenerConfigError)
    expect(create).toThrow(`client: is of ${orm}: pass { query: (text, values) => `)
    expect(create).toThrow(executor)
    const inside = postgresStore(answering().client).commitIn?.(client as object, KEY, 'a', 1)
    await expect(inside).rejects.toThrow(executor.replace('client.fork()', 'client').replace('client', 'tx'))
  })

  it("TypeORM's client is accepted, and answers with rows and their number", async () => {
    const { client } = answering([rows('released').rows, 1], [rows('none').rows, 1])
    const store = postgresStore({ ...client, ...shape('getRepository', 'createQueryRunner') })
    expect(await store.release(KEY, 'a')).toBe(true)
    expect(await store.release(KEY, 'a')).toBe(false)
  })

  it("TypeORM's DataSource is no transaction", async () => {
    const dataSource = { ...answering().client, ...shape('getRepository', 'createQueryRunner') }
    const inside = postgresStore(dataSource).commitIn?.(dataSource, KEY, 'a', 1)
    await expect(inside).rejects.toThrow(/^tx: .*transaction/)
  })

  const wrappers: Readonly<Record<string, object>> = {
    'Drizzle and MikroORM': { cause: { code: '42P01' } },
    Sequelize: { parent: { code: '42P01' }, original: { code: '42P01' } },
    TypeORM: { driverError: { code: '42P01' } },
    'Prisma 7': { code: 'P2010', meta: { driverAdapterError: { cause: { originalCode: '42P01' } } } },
    'Prisma without an adapter': { code: 'P2010', meta: { code: '42P01' } },
  }

  it.each(Object.entries(wrappers))('the SQLSTATE is found where %s keeps it', async (_, fields) => {
    const claim = postgresStore(answering(refused(fields)).client).claim(KEY, 'a', 1)
    await expect(claim).rejects.toThrow(/migrate\(\)/)
  })

  it('an error that contains itself, throws when it is read, or never ends, is passed on', async () => {
    const circle: { cause?: unknown } = {}
    circle.cause = { parent: circle, meta: circle }
    const throwing = {
      get cause() {
        throw new Error('read')
      },
    }
    const endless = { cause: 0 as unknown }
    Object.defineProperty(endless, 'cause', { get: () => Object.create(endless) })
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    for (const cause of [circle, throwing, endless, revoked.proxy]) {
      const error = Object.assign(refused({}), { cause })
      const claim = postgresStore(answering(error).client).claim(KEY, 'a', 1)
      await expect(claim).rejects.toBe(error)
    }
  })
})

describe('commitIn(tx)', () => {
  it('commitIn(tx) refuses a pool, which would run the statements of a transaction on several connections', async () => {
    const pool = new Pool()
    const sql = postgres('postgres://localhost:1/none')
    const neon = Object.assign(() => {}, { query() {}, unsafe() {}, transaction() {} })
    for (const client of [pool, sql, neon as unknown as PostgresClient]) {
      const inside = postgresStore(client).commitIn?.(client, KEY, 'a', 1)
      await expect(inside).rejects.toThrow(/^tx: .*transaction/)
    }
    await Promise.all([pool.end(), sql.end()])
  })

  it("commitIn(tx) accepts a client, an executor and Bun's transaction, and refuses anything else", async () => {
    const store = postgresStore(answering().client)
    const committed = async () => rows('committed')
    const bun = { unsafe: committed, begin() {}, transaction() {}, savepoint() {} }
    for (const tx of [Object.assign(new Client(), { query: committed }), Object.assign(() => {}, bun)])
      expect(await store.commitIn?.(tx, KEY, 'a', 1)).toBe('committed')
    await expect(store.commitIn?.({}, KEY, 'a', 1)).rejects.toThrow(/^tx: is not a known Postgres client/)
  })

  it('commitIn(tx) sends no failed statement again, because the transaction has failed', async () => {
    const { client, sent } = answering(refused({ code: '40001' }))
    const joining = postgresStore(answering().client).commitIn?.(client, KEY, 'a', 1)
    await expect(joining).rejects.toThrow(/use READ COMMITTED/)
    expect(sent).toHaveLength(1)
  })
})

describe('options', () => {
  const { client } = answering()

  it.each([
    ['table', ['', 'a b', 'a;b', '"a"', 'a.b.c', '.a', 'a.', '1a', 'é', 'a'.repeat(53), 7, null]],
    ['retentionSeconds', [600]], // an option of the listener
    ['prefix', ['hookgate']],
  ])('%s cannot be any of %j', (name, values) => {
    for (const value of values) {
      const options = { [name]: value }
      expect(() => postgresStore(client, options)).toThrow(ListenerConfigError)
      expect(() => postgresStore(client, options)).toThrow(name)
    }
  })

  it('the table is quoted wherever it is named', async () => {
    const { client, sent } = answering(rows('acquired'))
    await postgresStore(client, { table: 'Web.events' }).claim(KEY, 'a', 1)
    expect(sent[0]?.text).toContain('INSERT INTO "Web"."events"')
    expect(postgresSchema('Web.events')).toContain(
      'INDEX IF NOT EXISTS "events_expires_at" ON "Web"."events"',
    )
    expect(postgresSchema()).toContain('"hookgate_events"')
    expect(() => postgresSchema('a"; DROP TABLE b')).toThrow(ListenerConfigError)
  })
})
