import { describe, expect, it } from 'vitest'
import { EventStoreError, ListenerConfigError } from '../../src/index.ts'
import { type MysqlClient, mysqlSchema, mysqlStore } from '../../src/stores/mysql/store.ts'

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

const refused = (errno: number) => Object.assign(new Error(`error ${errno}`), { errno })
const DEADLOCK = 1213

describe('clients of mysqlStore', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a connection string', 'mysql://localhost/webhooks'],
    ['an object', {}],
    ['a function', () => {}],
  ])('%s is not a client, and the error names the supported ones', (_, client) => {
    const create = () => mysqlStore(client as unknown as MysqlClient) // deliberately not a client
    expect(create).toThrow(ListenerConfigError)
    expect(create).toThrow(/^client: .*mysql2\/promise.*mariadb.*query\(text, values\)/)
  })

  it.each([
    ['with callbacks', { query() {}, promise() {} }, 'client.promise()'],
    ['of Sequelize', { query() {}, getQueryInterface() {} }, 'sequelize.query(text, { replacements: values'],
    ['of Kysely', { executeQuery() {} }, 'CompiledQuery.raw(text, values)'],
    ['of Knex', Object.assign(() => {}, { raw() {} }), 'knex.raw(text, values)'],
    ['of Drizzle', { query: {}, execute() {}, select() {} }, 'db.execute(sql.join('],
  ])('a handle %s is refused with what makes a client of it, in with(tx) too', (_, handle, fix) => {
    const client = handle as unknown as MysqlClient // deliberately not a client
    expect(() => mysqlStore(client)).toThrow(ListenerConfigError)
    expect(() => mysqlStore(client)).toThrow(fix)
    expect(() => mysqlStore(answering().client).with(client)).toThrow(/^tx: /)
  })

  it('with(tx) refuses a pool, which would run the statements of a transaction on several connections', () => {
    const pool = { ...answering().client, getConnection() {} }
    expect(() => mysqlStore(pool).with(pool)).toThrow(/^tx: .*not a pool/)
  })

  it.each([
    [undefined],
    [null],
    [7],
    ['acquired'],
    [{}],
    [[]],
    [[[], []]],
    [{ insertId: 'x' }],
    [{ insertId: 4 }],
  ])('an answer of %j decides nothing', async (answer) => {
    const store = () => mysqlStore(answering(answer).client)
    await expect(store().claim(KEY, 'a', 1)).rejects.toThrow(EventStoreError)
    await expect(store().commit(KEY, 'a', 1)).rejects.toThrow(EventStoreError)
    await expect(store().release(KEY, 'a')).rejects.toThrow(EventStoreError)
    await expect(store().renew?.(KEY, 'a', 1)).rejects.toThrow(EventStoreError)
  })

  it('a claim or commit whose statement set no insert ID decides nothing, whatever the affected rows', async () => {
    for (const affectedRows of [0, 1, 2]) {
      const store = () => mysqlStore(answering([{ affectedRows, insertId: 0 }]).client)
      await expect(store().claim(KEY, 'a', 1)).rejects.toThrow('insert ID 0')
      await expect(store().commit(KEY, 'a', 1)).rejects.toThrow('insert ID 0')
      expect(await store().release(KEY, 'a')).toBe(false)
    }
  })

  it.each([
    [3, 'acquired'],
    [3n, 'acquired'],
    ['2', 'done'],
    [1, 'busy'],
  ])('an insert ID of %s means %s, in each form of a reply', async (insertId, answer) => {
    for (const reply of [
      { insertId },
      [{ insertId }, undefined],
      { insertId, rows: [], numAffectedRows: 1n },
    ]) {
      expect(await mysqlStore(answering(reply).client).claim(KEY, 'a', 1)).toBe(answer)
    }
  })

  it('values are digits and hexadecimal digits, whatever the IDs are', async () => {
    const { client, sent } = answering({ insertId: 3 }, { insertId: 3 })
    await mysqlStore(client).claim({ ...KEY, listenerId: '\u0000\'"\\😀' }, '\ud800; DROP TABLE', 0.3)
    await mysqlStore(client).commit(
      { ...KEY, listenerId: 'x'.repeat(100_000) },
      'y'.repeat(100_000),
      Infinity,
    )
    expect(sent).toHaveLength(2)
    for (const { text, values } of sent) {
      for (const value of values) expect(value).toMatch(/^[0-9a-f]{1,1000}$/)
      expect(text.split('?')).toHaveLength(values.length + 1)
    }
  })

  it.each([DEADLOCK, 1020])(
    'error %d is retried at most five times, and never in a transaction',
    async (errno) => {
      const once = answering(refused(errno), { insertId: 1 })
      expect(await mysqlStore(once.client).claim(KEY, 'a', 1)).toBe('busy')
      const always = answering(...Array.from({ length: 9 }, () => refused(errno)))
      await expect(mysqlStore(always.client).claim(KEY, 'a', 1)).rejects.toMatchObject({ errno })
      expect(always.sent).toHaveLength(5)
      const inside = answering(refused(errno), { insertId: 3 })
      await expect(mysqlStore(once.client).with(inside.client).claim(KEY, 'a', 1)).rejects.toMatchObject({
        errno,
      })
      expect(inside.sent).toHaveLength(1)
    },
  )

  it('a deadlock is found behind the errors of ORMs, but not behind ones that end in themselves', async () => {
    for (const name of ['cause', 'parent', 'driverError']) {
      const wrapped = Object.assign(new Error('failed'), { [name]: refused(DEADLOCK) })
      const { client } = answering(wrapped, { insertId: 3 })
      expect(await mysqlStore(client).claim(KEY, 'a', 1)).toBe('acquired')
    }
    const circular: Error & { cause?: unknown } = new Error('circular')
    circular.cause = { parent: circular }
    await expect(mysqlStore(answering(circular).client).claim(KEY, 'a', 1)).rejects.toBe(circular)
  })

  it('other failures are passed on at once', async () => {
    const { client, sent } = answering(refused(1205), { insertId: 3 })
    await expect(mysqlStore(client).claim(KEY, 'a', 1)).rejects.toMatchObject({ errno: 1205 })
    expect(sent).toHaveLength(1)
  })
})

describe('options of mysqlStore', () => {
  const { client } = answering()

  it.each([
    ['table', ['', 'a b', 'a;b', '`a`', 'a.b.c', '.a', 'a.', '1a', 'é', 'a'.repeat(65), 7, null]],
    ['mode', ['', 'twophase', 1, null]],
    ['retentionSeconds', [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '600', null]],
    ['prefix', ['hookgate']],
  ])('%s cannot be any of %j', (name, values) => {
    for (const value of values) {
      const options = { mode: 'single' as const, [name]: value }
      expect(() => mysqlStore(client, options)).toThrow(ListenerConfigError)
      expect(() => mysqlStore(client, options)).toThrow(name)
    }
  })

  it('retentionSeconds belongs to single mode, because in two phases the listener sets it', () => {
    expect(() => mysqlStore(client, { retentionSeconds: 60 })).toThrow('defineListener')
    expect(() => mysqlStore(client, { retentionSeconds: 60, mode: 'single' })).not.toThrow()
  })

  it('the table is quoted wherever it is named', async () => {
    const { client, sent } = answering({ insertId: 3 })
    await mysqlStore(client, { table: 'web.events' }).claim(KEY, 'a', 1)
    expect(sent[0]?.text).toContain('INSERT INTO `web`.`events` ')
    expect(mysqlSchema('web.events')).toContain('CREATE TABLE IF NOT EXISTS `web`.`events` ')
    expect(mysqlSchema()).toContain('`hookgate_events`')
    expect(() => mysqlSchema('a`; DROP TABLE b')).toThrow(ListenerConfigError)
  })
})
