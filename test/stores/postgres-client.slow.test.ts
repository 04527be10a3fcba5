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

const rows = (answer: string) => ({ rows: [{ answer }] })

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

  it('no row at all means that another claim was faster', async () => {
    expect(await postgresStore(answering({ rows: [] }).client).claim(KEY, 'a', 1)).toBe('busy')
    expect(await postgresStore(answering([]).client).claim(KEY, 'a', 1)).toBe('busy')
  })

  it('a renewal without a row has renewed nothing, and is not sent again', async () => {
    const { client, sent } = answering([], rows('renewed'))
    expect(await postgresStore(client).renew?.(KEY, 'a', 1.5)).toBe(false)
    expect(await postgresStore(client).renew?.(KEY, 'a', 1)).toBe(true)
    expect(sent.map(({ values }) => values)).toStrictEqual([
      [KEY.eventId, 'orders', 'a', '1.5'],
      [KEY.eventId, 'orders', 'a', '1'],
    ])
  })

  it('a commit without a row is sent again, and fails if it never gets one', async () => {
    const { client, sent } = answering([], [], rows('already'))
    expect(await postgresStore(client).commit(KEY, 'a', 1)).toBe('already')
    expect(sent).toHaveLength(3)
    const never = answering([], [], [], [], [], [])
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
    const { client, sent } = answering(refused({ code: '55P03' }))
    await expect(postgresStore(client).claim(KEY, 'a', 1)).rejects.toMatchObject({ code: '55P03' })
    expect(sent).toHaveLength(1)
  })

  it('a renewal without the table names the fix', async () => {
    const renewal = postgresStore(answering(refused({ code: '42P01' })).client).renew?.(KEY, 'a', 1)
    await expect(renewal).rejects.toThrow(/migrate\(\)/)
  })
})

describe('with(tx)', () => {
  it('with(tx) refuses a pool, which would run the statements of a transaction on several connections', async () => {
    const pool = new Pool()
    const sql = postgres('postgres://localhost:1/none')
    const neon = Object.assign(() => {}, { query() {}, unsafe() {}, transaction() {} })
    for (const client of [pool, sql, neon as unknown as PostgresClient]) {
      expect(() => postgresStore(client).with(client)).toThrow(/^tx: .*transaction/)
    }
    await Promise.all([pool.end(), sql.end()])
  })

  it("with(tx) accepts a client of pg and Bun's transaction, and refuses anything else", () => {
    const store = postgresStore(answering().client)
    const bun = { async unsafe() {}, begin() {}, transaction() {}, savepoint() {} }
    for (const tx of [new Client(), Object.assign(() => {}, bun)]) {
      expect(store.with(tx)).toMatchObject({ claim: expect.any(Function) })
    }
    expect(() => store.with({} as PostgresClient)).toThrow(/^tx: is not a known Postgres client/)
  })

  it('with(tx) cannot renew: the open transaction itself keeps the event, and a renewal could come after it', () => {
    const { client } = answering()
    for (const mode of ['two-phase', 'single'] as const) {
      expect('renew' in postgresStore(client, { mode }).with(new Client())).toBe(false)
    }
    expect('renew' in postgresStore(client)).toBe(true)
    expect('renew' in postgresStore(client, { mode: 'single' })).toBe(false)
  })

  it('with(tx) retries no failed statement, and a lost race is busy', async () => {
    const { client, sent } = answering(refused({ code: '40001' }), refused({ code: '40001' }))
    const store = postgresStore(answering().client).with(client)
    expect(await store.claim(KEY, 'a', 1)).toBe('busy')
    await expect(store.commit(KEY, 'a', 1)).rejects.toMatchObject({ code: '40001' })
    expect(sent).toHaveLength(2)
  })
})

describe('options', () => {
  const { client } = answering()

  it.each([
    ['table', ['', 'a b', 'a;b', '"a"', 'a.b.c', '.a', 'a.', '1a', 'é', 'a'.repeat(53), 7, null]],
    ['mode', ['', 'twophase', 1, null]],
    ['retentionSeconds', [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '600', null]],
    ['prefix', ['hookgate']],
  ])('%s cannot be any of %j', (name, values) => {
    for (const value of values) {
      const options = { mode: 'single' as const, [name]: value }
      expect(() => postgresStore(client, options)).toThrow(ListenerConfigError)
      expect(() => postgresStore(client, options)).toThrow(name)
    }
  })

  it('retentionSeconds belongs to single mode, because in two phases the listener sets it', () => {
    expect(() => postgresStore(client, { retentionSeconds: 60 })).toThrow('defineListener')
    expect(() => postgresStore(client, { retentionSeconds: 60, mode: 'single' })).not.toThrow()
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
