import { PGlite } from '@electric-sql/pglite'
import type { PoolClient } from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type InboxOptions, inbox } from '../../src/inbox/index.ts'
import { type Authenticator, defineListener, type EventStore, verify } from '../../src/index.ts'
import { github } from '../../src/schemes/github.ts'
import { gitlab } from '../../src/schemes/gitlab.ts'
import { linear } from '../../src/schemes/linear.ts'
import { withLocalCache } from '../../src/stores/local-cache.ts'
import type { PostgresClient } from '../../src/stores/postgres/store.ts'
import { eventStoreSuite, signAs, toDelivery } from '../../src/testing/index.ts'
import { expectAnyId } from '../support/any-id.ts'
import { connectNeon, type NeonClients } from '../support/neon-front.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { boxListener, inboxServer } from './support.ts'

const RETENTION_MS = 60_000

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('the store of an inbox'), () => {
  const on = inboxServer()
  const { fresh, age } = on
  let table = ''
  let sql: postgres.Sql
  let neon: NeonClients
  const pglite = new PGlite()

  beforeAll(async () => {
    table = (await fresh()).table
    sql = postgres(on.server.address)
    neon = await connectNeon(on.server)
    await inbox(pglite).migrate()
  })

  afterAll(async () => {
    await Promise.all([sql?.end(), neon?.close(), pglite.close()])
  })

  describe.each([
    { name: "pg's Pool", client: (): PostgresClient => on.pool },
    { name: 'postgres.js', client: (): PostgresClient => sql },
    { name: 'neon()', client: (): PostgresClient => neon.http },
    {
      name: 'an executor, as of an ORM',
      client: (): PostgresClient => ({
        query: async (text: string, values: string[]) => (await on.pool.query(text, values)).rows,
      }),
    },
  ])('on $name', ({ client }) => {
    eventStoreSuite(it, () => ({ store: inbox(client(), { table }).store, advance: (ms) => age(table, ms) }))
  })

  describe('on PGlite', () => {
    eventStoreSuite(it, () => ({
      store: inbox(pglite).store,
      advance: (ms) =>
        pglite.query(`UPDATE hookgate_inbox SET due_at = due_at - ${ms} * interval '1 millisecond'`),
    }))
  })

  it('the store takes any ID, as verify() maps it', async () => {
    const { accepted, ...verbs } = inbox(on.pool, { table }).store // without events, it is a store as any other
    await expectAnyId(verbs)
  })

  it('migrate() may run in many processes at once, and again', async () => {
    const box = inbox(on.pool, { table: 'at_once' })
    await Promise.all(Array.from({ length: 8 }, () => box.migrate()))
    await box.migrate()
    expect(await box.counts()).toEqual({ waiting: 0, running: 0, held: 0, dead: 0, done: 0 })
  })

  it('a missing table is named with its fix', async () => {
    const { listener, deliver } = boxListener(inbox(on.pool, { table: 'nowhere' }))
    await expect(verify(await deliver(), listener)).rejects.toThrow(/run `await box.migrate\(\)` once/)
  })
})

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('put'), () => {
  const on = inboxServer()
  const { fresh, rows, age } = on

  /** An inbox with a listener, which counts the statements of its client. */
  async function scene(options?: InboxOptions) {
    const statements: string[] = []
    const counting = {
      query(text: string, values: string[]) {
        statements.push(text)
        return on.pool.query(text, values)
      },
    }
    const { box, table } = await fresh(options, counting)
    statements.length = 0
    return { box, table, statements, ...boxListener(box) }
  }

  /** Runs `work` in a transaction of its own. */
  async function inTransaction<Result>(
    work: (tx: PoolClient) => Promise<Result>,
    end: 'COMMIT' | 'ROLLBACK',
  ) {
    const tx = await on.pool.connect()
    try {
      await tx.query('BEGIN')
      const result = await work(tx)
      await tx.query(end)
      return result
    } finally {
      tx.release()
    }
  }

  it('put makes a job of the claim: two statements, the commit of the 2xx included', async () => {
    const { box, table, statements, listener, deliver } = await scene()
    const event = await acceptedEvent(await deliver(), listener)
    expect(await box.put(event)).toBe(undefined)
    const [before] = await rows(table)
    expect(await event.commit()).toBe('committed')
    expect(statements).toHaveLength(2)
    expect(await rows(table)).toEqual([before])
    expect(before).toMatchObject({ state: 'waiting', id: event.id, attempts: 0 })
  })

  it('put reads a few rows, however many jobs wait: also the first one of a process, which looks for those that nobody asks for', async () => {
    const { table } = await fresh()
    await on.pool.query(`INSERT INTO ${table} (key, listener_id, owner, state, due_at, put_at, id)
      SELECT gen_random_uuid(), 'orders', 'earlier', 'waiting', now(), now(), n::text FROM generate_series(1, 5000) AS n`)
    const connection = await on.pool.connect()
    onTestFinished(() => connection.release())
    const read: number[] = []
    const counting: PostgresClient = {
      async query(text, values) {
        await connection.query('BEGIN')
        const result = await connection.query(text, values)
        const { rows } = await connection.query(
          'SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) AS n FROM pg_stat_xact_user_tables WHERE relname = $1',
          [table],
        )
        await connection.query('COMMIT')
        read.push(Number(rows[0]?.n))
        return result
      },
    }
    const box = inbox(counting, { table })
    const { listener, deliver } = boxListener(box)
    for (let puts = 0; puts < 2; puts += 1) await box.put(await acceptedEvent(await deliver(), listener))
    const [, first = 0, , second = 0] = read // after its claim, each
    expect(first).toBeLessThan(600)
    expect(second).toBeLessThan(10)
  })

  it('put leaves a job that neither a commit, a release, a renewal nor the end of the lease changes', async () => {
    const { box, table, listener, deliver } = await scene()
    const delivery = await deliver()
    const event = await acceptedEvent(delivery, listener)
    await box.put(event)
    const before = await rows(table)
    const [{ owner = '' } = {}] = before
    const key = { listenerId: 'orders', eventId: event.id }
    const others = inbox(on.pool, { table }).store // has not seen the put
    expect(await event.release()).toBe(false)
    expect(await others.release(key, `${owner}`)).toBe(false)
    expect(await others.commit(key, `${owner}`, RETENTION_MS)).toBe('already')
    expect(await others.renew?.(key, `${owner}`, RETENTION_MS)).toBe(true)
    expect(await others.claim(key, `${owner}`, RETENTION_MS)).toBe('done')
    expect(await others.commit(key, 'another', RETENTION_MS)).toBe('already')
    expect(await rows(table)).toEqual(before)
    await age(table, 10 * listener.leaseMs)
    expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
  })

  it('put may come twice, also at once, for one job', async () => {
    const { box, listener, deliver } = await scene()
    const event = await acceptedEvent(await deliver(), listener)
    await Promise.all([box.put(event), box.put(event), box.put(event)])
    await box.put(event)
    expect(await box.counts()).toMatchObject({ waiting: 1 })
  })

  it('a 2xx without a put loses nothing: the event becomes a job, and the operator is told', async () => {
    const { box, table, listener, deliver } = await scene()
    const delivery = await deliver()
    const event = await acceptedEvent(delivery, listener)
    await expect(event.commit()).rejects.toThrow(/without put\(event\): the event became a job/)
    expect(await rows(table)).toMatchObject([{ state: 'waiting', id: event.id }])
    expect(await event.commit()).toBe('committed')
    expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
    expect(await box.counts()).toMatchObject({ waiting: 1 })
  })

  it('a 2xx after the put of a copy, whose refusal the app ignores, loses nothing', async () => {
    const { box, listener, deliver } = await scene()
    const event = await acceptedEvent(await deliver(), listener)
    await box.put({ ...event }).catch(() => {})
    await expect(event.commit()).rejects.toThrow(/the event became a job/)
    expect(await box.counts()).toMatchObject({ waiting: 1 })
  })

  it('a 2xx without a put whose statement fails is no end: the event is not done', async () => {
    const { table } = await fresh()
    const broken = {
      query(text: string, values: string[]) {
        if (text.includes('SET put_at')) throw new Error('the connection broke')
        return on.pool.query(text, values)
      },
    }
    const { listener, deliver } = boxListener(inbox(broken, { table }))
    const delivery = await deliver()
    await expect((await acceptedEvent(delivery, listener)).commit()).rejects.toThrow(/failed to commit/)
    await age(table, 2 * listener.leaseMs)
    expect(await outcome(delivery, listener)).toBe('accepted')
  })

  it('put refuses a copy, a stranger and the event of another inbox, even on the same table', async () => {
    const { box, table, listener, deliver } = await scene()
    const event = await acceptedEvent(await deliver(), listener)
    const refusal = { code: 'ERR_INBOX', message: expect.stringContaining('the event itself, not a copy') }
    await expect(box.put({ ...event })).rejects.toMatchObject(refusal)
    await expect(inbox(on.pool, { table }).put(event)).rejects.toMatchObject(refusal)
    await expect(box.put({ id: 'made up', listenerId: 'orders' } as never)).rejects.toMatchObject(refusal)
    await expect(box.put(undefined as never)).rejects.toThrow()
    expect(await box.counts()).toMatchObject({ waiting: 0 })
  })

  it('put after the end of the lease makes a job if nobody else has claimed the event', async () => {
    const { box, table, listener, deliver } = await scene()
    const event = await acceptedEvent(await deliver(), listener)
    await age(table, 2 * listener.leaseMs)
    await box.put(event)
    expect(await box.counts()).toMatchObject({ waiting: 1 })
  })

  it('put after another delivery has claimed the event is refused, and a 2xx then does not mark it as done', async () => {
    const told: unknown[] = []
    const { box, table } = await fresh()
    const { listener, deliver } = boxListener(box, { onError: (error) => told.push(error) })
    const delivery = await deliver()
    const slow = await acceptedEvent(delivery, listener)
    await age(table, 2 * listener.leaseMs)
    const other = await acceptedEvent(delivery, listener)
    await expect(box.put(slow)).rejects.toThrow(/no longer yours/)
    expect(await slow.commit()).toBe('lost')
    expect(told).toHaveLength(1)
    await box.put(other)
    expect(await box.counts()).toMatchObject({ waiting: 1 })
    expect(await slow.release()).toBe(false)
    expect(await box.counts()).toMatchObject({ waiting: 1 })
  })

  it('put after release() is refused', async () => {
    const { box, listener, deliver } = await scene()
    const event = await acceptedEvent(await deliver(), listener)
    expect(await event.release()).toBe(true)
    await expect(box.put(event)).rejects.toThrow(/no longer yours/)
    expect(await box.counts()).toMatchObject({ waiting: 0 })
  })

  it('a 2xx after a put whose answer was lost is no end: the commit makes the job', async () => {
    const { box, table } = await fresh()
    let fails = true
    const flaky = inbox(
      {
        query(text: string, values: string[]) {
          if (fails && text.includes('SET put_at')) throw new Error('the connection broke')
          return on.pool.query(text, values)
        },
      },
      { table },
    )
    const { listener, deliver } = boxListener(flaky)
    const event = await acceptedEvent(await deliver(), listener)
    await expect(flaky.put(event)).rejects.toThrow('the connection broke')
    await expect(event.commit()).rejects.toThrow(/failed to commit/) // 503 on no account becomes "done"
    fails = false
    expect(await event.commit()).toBe('committed')
    expect(await box.counts()).toMatchObject({ waiting: 1 })
  })

  it('put of a body with any bytes, and of a large one, keeps each byte', async () => {
    const { box } = await fresh()
    const { listener, deliver } = boxListener(box, {
      maxBodyBytes: 10_000_000,
      id: 'Bücher \0 \ud800'.toWellFormed(),
    })
    const bodies = ['{"text":"\\u0000 é 漢 \\ud83d\\ude00"}', JSON.stringify({ long: 'x'.repeat(5_000_000) })]
    for (const body of bodies) await box.put(await acceptedEvent(await deliver(body), listener))
    const seen: string[] = []
    const worker = box.work(listener, ({ rawBody, payload }) => {
      expect(payload).toEqual(JSON.parse(new TextDecoder().decode(rawBody)))
      seen.push(new TextDecoder().decode(rawBody))
    })
    await expect.poll(() => seen.toSorted()).toEqual(bodies.toSorted())
    await worker.stop()
  })

  it('put works through withLocalCache', async () => {
    const { box } = await fresh()
    const { listener, deliver } = boxListener(box, { store: withLocalCache(box.store) })
    const delivery = await deliver()
    const event = await acceptedEvent(delivery, listener)
    await box.put(event)
    expect(await event.commit()).toBe('committed')
    expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
    expect(await box.counts()).toMatchObject({ waiting: 1 })
  })

  it('put that is not awaited before the 2xx is a job all the same', async () => {
    const { box, listener, deliver } = await scene()
    const event = await acceptedEvent(await deliver(), listener)
    const putting = box.put(event)
    expect(await event.commit()).toBe('committed')
    await putting
    expect(await box.counts()).toMatchObject({ waiting: 1 })
  })

  it('put is out of the question through a wrapper that hands over copies of keys: the listener accepts nothing', async () => {
    const { box } = await fresh()
    const { claim, ...others } = box.store
    const copying: EventStore = { ...others, claim: (key, ...given) => claim({ ...key }, ...given) }
    const { listener, deliver } = boxListener(box, { store: copying })
    await expect(verify(await deliver(), listener)).rejects.toThrow(
      /^store: wraps box.store, but hands over a copy/,
    )
    expect(await box.counts()).toMatchObject({ waiting: 0, done: 0 })
  })

  it('put finds its event through a wrapper that hands over what it is given', async () => {
    const { box } = await fresh()
    const { claim, ...others } = box.store
    const { listener, deliver } = boxListener(box, {
      store: { ...others, claim: (...given) => claim(...given) },
    })
    const event = await acceptedEvent(await deliver(), listener)
    await box.put(event)
    expect(await event.commit()).toBe('committed')
    expect(await box.counts()).toMatchObject({ waiting: 1 })
  })

  describe('in a transaction', () => {
    it('put costs two statements there, because the first one marks it, and the 2xx asks whether it was committed', async () => {
      const { box, statements, listener, deliver } = await scene()
      const event = await acceptedEvent(await deliver(), listener)
      const inside: string[] = []
      await inTransaction((tx) => {
        const query = (text: string, values: string[]) => {
          inside.push(text)
          return tx.query(text, values)
        }
        return box.put(event, { tx: { query } })
      }, 'COMMIT')
      expect(await event.commit()).toBe('committed')
      expect([statements.length, inside.length]).toEqual([2, 2])
    })

    it('the job appears with the commit of the transaction, and the 2xx changes nothing', async () => {
      const { box, table, listener, deliver } = await scene()
      const event = await acceptedEvent(await deliver(), listener)
      await inTransaction(async (tx) => {
        await tx.query('INSERT INTO effects VALUES ($1)', [event.id])
        await box.put(event, { tx })
        expect(await box.counts()).toMatchObject({ waiting: 0 })
      }, 'COMMIT')
      const before = await rows(table)
      expect(before).toMatchObject([{ state: 'waiting' }])
      expect(await event.commit()).toBe('committed')
      expect(await rows(table)).toEqual(before)
    })

    it('a failure after the rollback releases the event, so that the next delivery runs', async () => {
      const { box, listener, deliver } = await scene()
      const delivery = await deliver()
      const event = await acceptedEvent(delivery, listener)
      await inTransaction((tx) => box.put(event, { tx }), 'ROLLBACK')
      expect(await event.release()).toBe(true)
      expect(await outcome(delivery, listener)).toBe('accepted')
    })

    it('a 2xx after the rollback loses nothing: the event becomes a job, and the operator is told', async () => {
      const { box, listener, deliver } = await scene()
      const delivery = await deliver()
      const event = await acceptedEvent(delivery, listener)
      await inTransaction((tx) => box.put(event, { tx }), 'ROLLBACK')
      await expect(event.commit()).rejects.toThrow(/its put\(\) was not committed: the event became a job/)
      expect(await event.commit()).toBe('committed')
      expect(await box.counts()).toMatchObject({ waiting: 1 })
      expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
    })

    it.each(['COMMIT', 'ROLLBACK'] as const)(
      'a 2xx before the end of the transaction waits for its %s, and loses nothing',
      async (end) => {
        const { box, listener, deliver } = await scene()
        const event = await acceptedEvent(await deliver(), listener)
        const committing = await inTransaction(async (tx) => {
          await box.put(event, { tx })
          return [event.commit().catch((error: Error) => error.message)] // a list, so that it is not awaited
        }, end)
        expect(await committing[0]).toEqual(
          end === 'COMMIT' ? 'committed' : expect.stringContaining('not committed'),
        )
        expect(await box.counts()).toMatchObject({ waiting: 1 })
      },
    )

    it('a release waits for the transaction, a renewal does not, and both leave its job', async () => {
      const { box, table, listener, deliver } = await scene()
      const event = await acceptedEvent(await deliver(), listener)
      const [claimed] = await rows(table)
      const key = { listenerId: 'orders', eventId: event.id }
      const waiting = await inTransaction(async (tx) => {
        await box.put(event, { tx })
        expect(await box.store.renew?.(key, `${claimed?.owner}`, 1000)).toBe('locked')
        return [event.release()] // a list, so that it is not awaited
      }, 'COMMIT')
      expect(await waiting[0]).toBe(false)
      expect(await box.store.renew?.(key, `${claimed?.owner}`, 1000)).toBe(true)
      expect(await box.counts()).toMatchObject({ waiting: 1 })
    })

    it('a client without a transaction is refused, and a 2xx then makes the job, told', async () => {
      const { box, listener, deliver } = await scene()
      const single = await on.pool.connect() // without BEGIN
      onTestFinished(() => single.release(true))
      const root = { query: (text: string, values: string[]) => on.pool.query(text, values) }
      const sql = postgres(on.server.address)
      onTestFinished(() => sql.end())
      for (const [tx, problem] of [
        [on.pool, /must be the client of one open transaction/],
        [sql, /must be the client of one open transaction/],
        [
          { unsafe: (text: string, values: string[]) => sql.unsafe(text, values) },
          /takes the client of an open/,
        ],
        [single, /takes the client of an open transaction/],
        [root, /takes the client of an open transaction/],
        [{} as never, /not a known Postgres client/],
      ] as const) {
        const { waiting } = await box.counts()
        const event = await acceptedEvent(await deliver(JSON.stringify({ waiting })), listener)
        await expect(box.put(event, { tx })).rejects.toThrow(problem)
        expect(await box.counts()).toMatchObject({ waiting })
        await expect(event.commit()).rejects.toThrow(/not committed: the event became a job/)
        expect(await box.counts()).toMatchObject({ waiting: waiting + 1 })
      }
    })

    it('PGlite itself, and the transaction of one that is over, are refused', async () => {
      const db = new PGlite()
      onTestFinished(() => db.close())
      const box = inbox(db)
      await box.migrate()
      const { listener, deliver } = boxListener(box)
      const event = await acceptedEvent(await deliver(), listener)
      await expect(box.put(event, { tx: db })).rejects.toThrow(/takes the client of an open transaction/)
      const over = await db.transaction(async (tx) => [tx])
      await expect(box.put(event, { tx: over[0] as PostgresClient })).rejects.toThrow(/closed/)
      expect(await box.counts()).toMatchObject({ waiting: 0 })
    })

    it("a serialization failure keeps its code, so that the caller's retry of the transaction sees it", async () => {
      const { box, table, listener, deliver } = await scene()
      const event = await acceptedEvent(await deliver(), listener)
      const tx = await on.pool.connect()
      onTestFinished(() => tx.release(true))
      const begin = () => tx.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
      await begin()
      await tx.query('SELECT FROM effects')
      await on.pool.query(`UPDATE ${table} SET due_at = due_at + interval '1 s'`) // as a renewal does
      await expect(box.put(event, { tx })).rejects.toMatchObject({ code: '40001' })
      await tx.query('ROLLBACK')
      await begin()
      await box.put(event, { tx })
      await tx.query('COMMIT')
      expect(await box.counts()).toMatchObject({ waiting: 1 })
    })
  })

  describe('keys', () => {
    const secret = 'a-secret-of-a-sender-32-characters'
    const listenerOf = (id: string, auth: Authenticator, store: EventStore) =>
      defineListener({ id, auth, store, storeTimeoutSeconds: 60 })

    async function senders() {
      const { box, table } = await fresh()
      const hub = listenerOf('github', github({ secrets: secret }), box.store)
      const line = listenerOf('linear', linear({ secrets: secret }), box.store)
      const push = async (eventId: string) =>
        toDelivery(await signAs(github, { secret, eventId, eventType: 'push', body: { ref: 'main' } }))
      const issue = async (eventId: string, body: string, webhookTimestamp: number) =>
        toDelivery(await signAs(linear, { secret, eventId, body: { body, webhookTimestamp } }))
      return { box, table, hub, line, push, issue }
    }

    it("a capture of GitHub's delivery under an invented ID is a duplicate of the job", async () => {
      const { box, hub, push } = await senders()
      await box.put(await acceptedEvent(await push('11111111-0000-4000-8000-000000000000'), hub))
      expect(await outcome(await push('22222222-0000-4000-8000-000000000000'), hub)).toBe(
        '200 event_duplicate',
      )
    })

    it('an event of two keys is one job, and both are duplicates while it waits, and once it is done', async () => {
      const { box, table, line, issue } = await senders()
      const now = Date.now()
      const event = await acceptedEvent(await issue('id-1', 'first', now), line)
      await box.put(event)
      expect(await event.commit()).toBe('committed')
      expect((await rows(table)).map(({ state }) => state).toSorted()).toEqual(['twin', 'waiting'])
      const verdicts = async () => [
        await outcome(await issue('id-1', 'second', now), line),
        await outcome(await issue('id-2', 'first', now), line),
      ]
      expect(await verdicts()).toEqual(['200 event_duplicate', '200 event_duplicate'])
      const ids: string[] = []
      const worker = box.work(line, ({ id }) => ids.push(id))
      await expect.poll(() => box.counts()).toMatchObject({ waiting: 0, running: 0, done: 1 })
      await worker.stop()
      expect(ids).toEqual(['id-1'])
      expect(await rows(table)).toMatchObject([{ state: 'done' }, { state: 'done' }])
      expect(await verdicts()).toEqual(['200 event_duplicate', '200 event_duplicate'])
    })

    it('an event of two keys whose handler answers 2xx without a put is one job, told once', async () => {
      const { box, line, issue } = await senders()
      const event = await acceptedEvent(await issue('id-1', 'first', Date.now()), line)
      await expect(event.commit()).rejects.toThrow(/the event became a job/)
      expect(await event.commit()).toBe('committed')
      expect(await box.counts()).toMatchObject({ waiting: 1 })
    })

    it('an event of two keys, one of which another delivery has claimed by now, becomes no job', async () => {
      const { box, table, line, issue } = await senders()
      const now = Date.now()
      const slow = await acceptedEvent(await issue('id-1', 'first', now), line)
      await age(table, 2 * line.leaseMs)
      const other = await acceptedEvent(await issue('id-2', 'first', now), line) // the same bytes
      await expect(box.put(slow)).rejects.toThrow(/no longer yours/)
      expect(await box.counts()).toMatchObject({ waiting: 0 })
      await box.put(other)
      expect(await box.counts()).toMatchObject({ waiting: 1 })
    })

    it('an event that claims nothing is a job of its own at each delivery', async () => {
      const { box } = await fresh()
      const lab = listenerOf('gitlab', gitlab({ secrets: secret, dedupe: 'off' }), box.store)
      const delivery = async () =>
        toDelivery(await signAs(gitlab, { secret, eventType: 'Push Hook', body: { a: 1 } }))
      for (let count = 0; count < 2; count += 1) {
        const event = await acceptedEvent(await delivery(), lab)
        await box.put(event)
        await box.put(event)
        expect(await event.commit()).toBe('committed')
      }
      expect(await box.counts()).toMatchObject({ waiting: 2 })
    })

    it('an event that claims nothing costs two statements, and none is lost, whatever becomes of its put', async () => {
      const { box, table, statements } = await scene()
      const auth = gitlab({ secrets: secret, dedupe: 'off' })
      const lab = listenerOf('gitlab', auth, withLocalCache(box.store))
      const accepted = async () =>
        acceptedEvent(
          toDelivery(await signAs(gitlab, { secret, eventType: 'Push Hook', body: { a: 1 } })),
          lab,
        )
      const put = await accepted()
      await box.put(put)
      expect(await put.commit()).toBe('committed')
      expect(statements).toHaveLength(2)
      await expect((await accepted()).commit()).rejects.toThrow(/the event became a job/)
      const copied = await accepted()
      await box.put({ ...copied }).catch(() => {})
      await expect(copied.commit()).rejects.toThrow(/the event became a job/)
      const rolledBack = await accepted()
      await inTransaction((tx) => box.put(rolledBack, { tx }), 'ROLLBACK')
      await expect(rolledBack.commit()).rejects.toThrow(/not committed: the event became a job/)
      const failed = await accepted()
      expect(await failed.release()).toBe(true)
      expect((await rows(table)).map(({ state }) => state)).toEqual([
        'waiting',
        'waiting',
        'waiting',
        'waiting',
      ])
    })

    it('an event that claims nothing is put again after a rollback, and is one job if it is put twice at once', async () => {
      const { box } = await fresh()
      const auth = gitlab({ secrets: secret, dedupe: 'off' })
      const lab = listenerOf('gitlab', auth, box.store)
      const request = () => signAs(gitlab, { secret, eventType: 'Push Hook', body: { a: 1 } })
      const event = await acceptedEvent(toDelivery(await request()), lab)
      await inTransaction((tx) => box.put(event, { tx }), 'ROLLBACK')
      await inTransaction((tx) => box.put(event, { tx }), 'COMMIT')
      expect(await box.counts()).toMatchObject({ waiting: 1 })
      const other = await acceptedEvent(toDelivery(await request()), lab)
      await Promise.all([box.put(other), box.put(other)])
      expect(await box.counts()).toMatchObject({ waiting: 2 })
    })

    it('two listeners of one inbox may have the same ID', async () => {
      const { box } = await fresh()
      const one = boxListener(box, { id: 'one' })
      const two = boxListener(box, { id: 'two' })
      const delivery = await one.deliver()
      await box.put(await acceptedEvent(delivery, one.listener))
      await box.put(await acceptedEvent(delivery, two.listener))
      expect(await box.counts()).toMatchObject({ waiting: 2 })
      const ids: string[] = []
      const worker = box.work(two.listener, ({ listenerId }) => ids.push(listenerId))
      await expect.poll(() => box.counts()).toMatchObject({ waiting: 1, done: 1 })
      await worker.stop()
      expect(ids).toEqual(['two'])
    })
  })
})
