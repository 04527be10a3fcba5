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

const shape = (...methods: readonly string[]) => Object.fromEntries(methods.map((name) => [name, () => {}]))

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
    ['uses callbacks', shape('query', 'promise'), 'client.promise()'],
    ['is of Sequelize', shape('getQueryInterface', 'query'), 'client.query(text, { replacements: values'],
    ["is of Sequelize's transaction", shape('afterCommit', 'rollback'), 'transaction: client })'],
    [
      'is of Kysely',
      shape('executeQuery', 'selectFrom'),
      'client.executeQuery(CompiledQuery.raw(text, values))',
    ],
    ['is of Knex', Object.assign(() => {}, shape('raw', 'batchInsert')), 'client.raw(text, values)'],
    ['is of Drizzle', shape('execute', 'select', 'insert', 'transaction'), 'client.execute(sql.join('],
  ])('a handle that %s is refused with what makes a client of it', (what, handle, fix) => {
    const client = handle as unknown as MysqlClient // deliberately not a client
    expect(() => mysqlStore(client)).toThrow(ListenerConfigError)
    expect(() => mysqlStore(client)).toThrow(`client: ${what}: pass `)
    expect(() => mysqlStore(client)).toThrow(fix)
  })

  /** What a commit in a transaction sends, and the error that it ends with. */
  async function committing(...answers: readonly unknown[]) {
    const { client, sent } = answering(...answers)
    const error = await mysqlStore(client)
      .commitIn?.(client, KEY, 'a', 1)
      .catch((reason: unknown) => reason)
    const texts = sent.map(({ text }) => text.replace(/hookgate_[0-9a-f]{40}/, 'mark'))
    return { error, texts: texts.map((text) => (/UPDATE/.test(text) ? 'UPDATE' : text)) }
  }

  const OPEN = ['SAVEPOINT hookgate_commit_in', 'RELEASE SAVEPOINT hookgate_commit_in']
  const KILL = 'KILL CONNECTION_ID()'
  const ENDED = refused(1927)

  it.each([
    [{ insertId: 3 }, 'EventStoreError'],
    [{ insertId: 2 }, 'ListenerConfigError'],
    [refused(1146), 'EventStoreError'],
    [refused(DEADLOCK), 'Error'],
    [refused(1020), 'EventStoreError'],
    [refused(1205), 'EventStoreError'],
  ])('a commit in a transaction that is answered %j ends its connection: %s', async (answer, name) => {
    const { error, texts } = await committing({}, {}, answer, ENDED)
    expect(error).toMatchObject({ name })
    expect(texts).toEqual([...OPEN, 'UPDATE', KILL])
  })

  it('a commit in a transaction that finds no claim, and has made none done, ends its connection', async () => {
    const { error, texts } = await committing({}, {}, { insertId: 0 }, refused(1305), ENDED)
    expect(error).toMatchObject({ code: 'ERR_LEASE_LOST' })
    expect(texts).toEqual([...OPEN, 'UPDATE', 'RELEASE SAVEPOINT mark', KILL])
  })

  it.each([
    ['SAVEPOINT fails', [refused(1203)], 1],
    ['its RELEASE fails', [{}, refused(1203)], 2],
    ['its RELEASE finds none', [{}, refused(1305)], 2],
  ])('ends no connection on which no transaction was seen: %s', async (_, answers, statements) => {
    const { error, texts } = await committing(...answers)
    expect(error).toBeInstanceOf(Error)
    expect(texts).toEqual(OPEN.slice(0, statements))
  })

  it('tells of a connection that the server did not end, so that nobody commits on it', async () => {
    for (const [answer, expected] of [
      [refused(1205), { code: 'ERR_EVENT_STORE' }],
      [{ insertId: 2 }, { code: 'ERR_EVENT_STORE' }],
    ]) {
      const { error } = await committing({}, {}, answer, refused(1095))
      expect(error).toMatchObject(expected as object)
      expect(`${error}`).toContain('did not end the connection: error 1095. Send ROLLBACK')
    }
    const { error } = await committing({}, {}, { insertId: 0 }, refused(1305), refused(1095))
    expect(error).toMatchObject({ code: 'ERR_LEASE_LOST' })
    expect(`${error}`).toContain('did not end the connection: error 1095. Send ROLLBACK')
  })

  it.each([
    ['MariaDB', refused(1927)],
    ['MySQL', refused(1317)],
    ['the mariadb connector', refused(45_009)],
    ['a socket', refused(-104)],
    ['mysql2', new Error('closed')],
  ])('takes a connection as ended by what %s says of it', async (_, reply) => {
    const { error } = await committing({}, {}, refused(1205), reply)
    expect(`${error}`).not.toContain('did not end')
  })

  it('waits a second at most for a change of the table, in MySQL by a hint', async () => {
    const answers = [1, 1, 1, 1].map((insertId) => ({ insertId, affectedRows: 1 }))
    const { client, sent } = answering(...answers, ['a1:3:0/0', 'a1:end'])
    const store = mysqlStore(client)
    await store.claim(KEY, 'a', 1)
    await store.renew?.(KEY, 'a', 1)
    await store.commit(KEY, 'a', 1)
    await store.release(KEY, 'a')
    await store.sweep().catch(() => {}) // the answer is not the server's
    for (const { text } of sent)
      expect(text).toMatch(/ \*\/ (INSERT|UPDATE|SELECT) \/\*\+ SET_VAR\(lock_wait_timeout = 1\) \*\/ /)
    expect(sent).toHaveLength(5)
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
    'error %d is retried at most five times, and never in a transaction of the application',
    async (errno) => {
      const once = answering(refused(errno), { insertId: 1 })
      expect(await mysqlStore(once.client).claim(KEY, 'a', 1)).toBe('busy')
      const always = answering(...Array.from({ length: 9 }, () => refused(errno)))
      await expect(mysqlStore(always.client).claim(KEY, 'a', 1)).rejects.toMatchObject({ errno })
      expect(always.sent).toHaveLength(5)
      const inside = answering({}, {}, refused(errno))
      const committing = mysqlStore(once.client).commitIn?.(inside.client, KEY, 'a', 1)
      await expect(committing).rejects.toThrow()
      expect(inside.sent.at(-1)?.text).toBe(KILL)
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
    const { client, sent } = answering(refused(1206), { insertId: 3 })
    await expect(mysqlStore(client).claim(KEY, 'a', 1)).rejects.toMatchObject({ errno: 1206 })
    expect(sent).toHaveLength(1)
  })
})

describe('options of mysqlStore', () => {
  const { client } = answering()

  it.each([
    ['table', ['', 'a b', 'a;b', '`a`', 'a.b.c', '.a', 'a.', '1a', 'é', 'a'.repeat(65), 7, null]],
    ['retentionSeconds', [600]], // an option of the listener
    ['prefix', ['hookgate']],
  ])('%s cannot be any of %j', (name, values) => {
    for (const value of values) {
      const options = { [name]: value }
      expect(() => mysqlStore(client, options)).toThrow(ListenerConfigError)
      expect(() => mysqlStore(client, options)).toThrow(name)
    }
  })

  it('the table is quoted wherever it is named', async () => {
    const { client, sent } = answering({ insertId: 3 })
    await mysqlStore(client, { table: 'web.events' }).claim(KEY, 'a', 1)
    expect(sent[0]?.text).toContain(' INTO `web`.`events` ')
    expect(mysqlSchema('web.events')).toContain('CREATE TABLE IF NOT EXISTS `web`.`events` ')
    expect(mysqlSchema()).toContain('`hookgate_events`')
    expect(() => mysqlSchema('a`; DROP TABLE b')).toThrow(ListenerConfigError)
  })
})

it('a sweep deletes each expired record once through a client that returns its rows twice, as Sequelize does', async () => {
  const deleted: string[][] = []
  const store = mysqlStore({
    async query(text, values) {
      const rows = [{ answer: 'a1:5:0A/0B' }, { answer: 'a1:3:end' }]
      if (!text.includes('DELETE')) return [rows, rows]
      deleted.push(values)
      return { affectedRows: 1 }
    },
  })
  expect(await store.sweep()).toBe(1)
  expect(deleted).toStrictEqual([['0A', '0B']])
})
