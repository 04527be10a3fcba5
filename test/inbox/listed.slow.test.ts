import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import postgres from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type Inbox,
  type InboxOptions,
  inbox,
  type JobName,
  type ListOptions,
  type PostgresClient,
} from '../../src/inbox/index.ts'
import { defineListener, type Listener } from '../../src/index.ts'
import { github } from '../../src/schemes/github.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { acceptedEvent } from '../support/outcome.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { CUSTOMER, inboxServer, shop } from './support.ts'

const GITHUB_SECRET = 'a-secret-of-a-sender-32-characters'

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('the jobs of an inbox'), () => {
  const on = inboxServer()
  const { rows } = on

  async function scene(options: InboxOptions = {}, client?: PostgresClient) {
    const { box, table } = await on.fresh(options, client)
    const states = async (given: ListOptions = {}) =>
      (await box.list(given)).map(({ eventId, state }) => `${eventId} ${state}`)
    return { box, table, states, ...shop(box) }
  }

  function startWorker(box: Inbox, listener: Listener, handler: (event: { id: string }) => unknown) {
    const worker = box.work(listener, handler, { pollMs: 20, delayMs: () => 600_000, onError: null })
    onTestFinished(() => worker.stop())
    return worker
  }

  it('are listed, the newest first, with what is known of each, and without bodies', async () => {
    const { box, put } = await scene()
    await put('invoice.paid', 'evt_old')
    await put('charge.failed', 'evt_new')
    const jobs = await box.list()
    expect(jobs.map(({ eventId, type }) => [eventId, type])).toEqual([
      ['evt_new', 'charge.failed'],
      ['evt_old', 'invoice.paid'],
    ])
    expect(jobs[1]).toEqual({
      id: expect.stringMatching(/^job_[\w-]{32}$/),
      ...{ listener: 'stripe', eventId: 'evt_old', type: 'invoice.paid', state: 'waiting', attempts: 0 },
      ...{ putAt: expect.any(Date), dueAt: expect.any(Date), error: undefined, hasBody: true },
    })
    expect(Math.abs(Date.now() - Number(jobs[1]?.putAt))).toBeLessThan(60_000)
    expect(jobs[1]?.dueAt).toEqual(jobs[1]?.putAt)
    expect(JSON.stringify([...jobs, ...(await box.get(jobs.map(({ id }) => id)))])).not.toContain(CUSTOMER)
  })

  it('are listed by their state: waiting, running, dead, done', async () => {
    const { box, listener, put, states, table } = await scene({ maxAttempts: 1 })
    for (const id of ['evt_done', 'evt_dead', 'evt_running']) await put(undefined, id)
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const worker = startWorker(box, listener, async ({ id }) => {
      if (id === 'evt_dead') throw new TypeError('no')
      if (id === 'evt_running') await ended
    })
    await expect.poll(() => box.counts()).toMatchObject({ done: 1, dead: 1, running: 1 })
    const stopped = worker.stop()
    await put(undefined, 'evt_waiting')
    expect(await states()).toEqual([
      'evt_waiting waiting',
      'evt_running running',
      'evt_dead dead',
      'evt_done done',
    ])
    for (const state of ['waiting', 'running', 'dead', 'done'] as const)
      expect(await states({ state })).toEqual([`evt_${state} ${state}`])
    const [dead] = await box.list({ state: 'dead' })
    expect(dead).toMatchObject({ attempts: 1, error: 'TypeError: no', dueAt: undefined, hasBody: true })
    const [done] = await box.list({ state: 'done' })
    expect(done).toMatchObject({ attempts: 1, error: undefined, type: 'invoice.paid', hasBody: false })
    await on.pool.query(`UPDATE ${table} SET due_at = now() - interval '1 s' WHERE id = 'evt_running'`)
    expect(await states({ state: 'running' })).toEqual([])
    expect(await states({ state: 'waiting' })).toContain('evt_running waiting')
    await on.pool.query(`UPDATE ${table} SET due_at = now() - interval '1 s' WHERE id = 'evt_done'`)
    expect(await states({ state: 'done' })).toEqual([]) // no longer remembered
    expect(await box.get({ listener: 'stripe', eventId: 'evt_done' })).toEqual([])
    end()
    await stopped
  })

  it('are listed by listener, by type, and by when they were put', async () => {
    const { box, put, states, table } = await scene()
    await put('invoice.paid', 'evt_1')
    await shop(box, 'another').put('invoice.paid', 'evt_2')
    await put('charge.failed', 'evt_3')
    expect(await states({ listener: 'stripe' })).toEqual(['evt_3 waiting', 'evt_1 waiting'])
    expect(await states({ type: 'invoice.paid' })).toEqual(['evt_2 waiting', 'evt_1 waiting'])
    expect(await states({ listener: 'stripe', type: 'invoice.paid', state: 'waiting' })).toEqual([
      'evt_1 waiting',
    ])
    expect(await states({ listener: 'nobody' })).toEqual([])
    await on.pool.query(`UPDATE ${table} SET put_at = put_at - interval '1 h' WHERE id = 'evt_2'`)
    const before = new Date(Date.now() - 1_800_000)
    expect(await states({ before })).toEqual(['evt_2 waiting'])
    const [newest] = await box.list()
    expect(await states({ before: [newest?.id ?? '', before] })).toEqual(['evt_2 waiting'])
    expect(await states({ before: [newest?.id ?? '', new Date(8.64e15)] })).toHaveLength(2)
    expect(await states({ before: new Date(-8.64e15) })).toEqual([])
  })

  it('are listed and found with bodies until these take 10 MB', async () => {
    const { box, put, states, table } = await scene()
    for (const id of ['a', 'b', 'c']) await put(undefined, id)
    await on.pool.query(`UPDATE ${table} SET envelope = '{"bodyBase64":"' || repeat('AAAA', 1500000) || '"}'`)
    expect(await states({ body: true })).toEqual(['c waiting', 'b waiting'])
    const jobs = await box.list()
    const ids = jobs.map(({ id }) => id)
    expect(ids).toHaveLength(3)
    expect((await box.get(ids, { body: true })).map(({ eventId }) => eventId)).toEqual(['c', 'b'])
    expect(await box.get(ids)).toHaveLength(3)
    await on.pool.query(`UPDATE ${table} SET id = 'same'`)
    expect(await box.get({ listener: 'stripe', eventId: 'same' }, { body: true })).toHaveLength(2)
  })

  it('are listed page by page: `before` may be one that is gone meanwhile', async () => {
    const { box, put, states } = await scene()
    for (const id of ['a', 'b', 'c', 'd']) await put(undefined, id)
    const [, second] = await box.list({ limit: 2 })
    expect(second?.eventId).toBe('c')
    expect(await box.forget(second?.id ?? '')).toEqual({ changed: 1, refused: 0 })
    expect(await states({ before: second?.id, limit: 1 })).toEqual(['b waiting'])
    expect(await states({ before: second?.id })).toEqual(['b waiting', 'a waiting'])
  })

  it('of 10,000 that change all the while, each is on one page, and on one only', async () => {
    const { box, table } = await scene()
    await on.pool.query(`INSERT INTO ${table} (key, listener_id, owner, state, due_at, put_at, id, type, envelope)
      SELECT gen_random_uuid(), 'stripe', 'o.' || n, 'dead', now(), now(), 'evt_' || n, 'invoice.paid', '{}' FROM generate_series(1, 10000) AS n`)
    let isOver = false
    const change = async () => {
      let changes = 0
      for (; !isOver; changes += 1) {
        await box.again((await box.list({ state: 'dead', limit: 1000 })).map(({ id }) => id))
        await on.pool.query(
          `UPDATE ${table} SET state = 'done', due_at = now() + interval '1 h' WHERE state = 'waiting' AND random() < 0.3`,
        )
        await on.pool.query(`UPDATE ${table} SET state = 'dead', attempts = 10 WHERE random() < 0.2`)
      }
      return changes
    }
    const changing = change()
    const seen: string[] = []
    for (
      let page = await box.list({ limit: 150 });
      page.length > 0;
      page = await box.list({ limit: 150, before: page.at(-1)?.id })
    )
      seen.push(...page.map(({ eventId }) => eventId))
    isOver = true
    expect(await changing).toBeGreaterThan(3)
    expect(seen).toEqual(Array.from({ length: 10_000 }, (_, n) => `evt_${10_000 - n}`))
  })

  it('give their exact bytes only if asked, and until they are done', async () => {
    const { box, listener, deliver, put } = await scene()
    const delivery = await deliver('evt_1')
    await put(undefined, 'evt_1')
    const [listed] = await box.list({ body: true })
    expect(listed?.body).toEqual(delivery.body)
    const [got] = await box.get(listed?.id ?? '', { body: true })
    expect(got).toEqual(listed)
    startWorker(box, listener, () => {})
    await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
    const [done] = await box.get(listed?.id ?? '', { body: true })
    expect(done).toMatchObject({ id: listed?.id, state: 'done', hasBody: false })
    expect(done && 'body' in done).toBe(false)
  })

  it('have several under an ID that the sender does not sign, and one under each of theirs', async () => {
    const { box, table } = await on.fresh()
    const hub = defineListener({ id: 'github', auth: github({ secrets: GITHUB_SECRET }), store: box.store })
    const eventId = crypto.randomUUID()
    for (const number of [1, 2]) {
      const request = await signAs(github, {
        secret: GITHUB_SECRET,
        eventId,
        eventType: 'push',
        body: { number },
      })
      await box.put(await acceptedEvent(toDelivery(request), hub))
    }
    const both = await box.get({ listener: 'github', eventId })
    expect(both.map((job) => [job.eventId, job.type])).toEqual([
      [eventId, 'push'],
      [eventId, 'push'],
    ])
    expect(await box.get(both[0]?.id ?? '')).toEqual(both.slice(0, 1))
    expect(await box.get(both.map(({ id }) => id))).toEqual(both)
    expect(await box.get({ listener: 'stripe', eventId })).toEqual([])
    expect(await box.forget({ listener: 'github', eventId })).toEqual({ changed: 2, refused: 0 })
    expect(await rows(table)).toEqual([])
  })

  it.each([
    ['quotes', `'"; DROP TABLE x; --`],
    ['what ends an array, and a backslash', String.raw`{a},"b"\u0041\\`],
    ['control characters', 'a\u0000\u0007\u001b[2J\u007f\u202e\n'],
    ['a lone surrogate', 'evt_\ud800'],
    ['the other half of one', 'evt_\udfff'],
    ['256 characters beyond ASCII', 'é'.repeat(256)],
  ])('keep an ID and a type with %s, and are found by both', async (_, text) => {
    const { box, put } = await scene()
    await put(text, text)
    const found = [
      ...(await box.list({ type: text })),
      ...(await box.get({ listener: 'stripe', eventId: text })),
    ]
    expect(found.map(({ eventId, type }) => [eventId, type])).toEqual([
      [text, text],
      [text, text],
    ])
    expect(await box.again({ listener: 'stripe', eventId: text })).toEqual({ changed: 1, refused: 0 })
    expect(await box.forget(found[0]?.id ?? '')).toEqual({ changed: 1, refused: 0 })
    expect(await box.list()).toEqual([])
  })

  it('of a listener whose ID is long, or has any characters, are found by it', async () => {
    const { box } = await scene()
    for (const id of ['L'.repeat(600), "o'brien \u001b"]) {
      await shop(box, id).put()
      expect(await box.list({ listener: id })).toHaveLength(1)
      expect(await box.get({ listener: id, eventId: 'evt_1' })).toHaveLength(1)
    }
  })

  it.each<[string, (tables: { postgresJs: postgres.Sql; own: pg.Pool }) => PostgresClient]>([
    ['postgres.js', ({ postgresJs }) => postgresJs],
    [
      'an executor that returns rows with other names, as CamelCasePlugin gives',
      ({ own }) => ({
        query: async (text: string, values: string[]) =>
          (await own.query(text, values)).rows.map((row) => ({ camelCased: Object.values(row)[0] })),
      }),
    ],
  ])('are listed and mended by %s', async (_, clientOf) => {
    const postgresJs = postgres({ ...on.server.address, transform: postgres.camel, onnotice: () => {} })
    onTestFinished(() => postgresJs.end())
    const { box, put } = await scene({}, clientOf({ postgresJs, own: on.pool }))
    const eventId = await put()
    const [job] = await box.list()
    expect(job).toMatchObject({ eventId, state: 'waiting' })
    expect(await box.oldest()).toEqual([{ listener: 'stripe', dueForMs: expect.any(Number) }])
    expect(await box.again(job?.id)).toEqual({ changed: 1, refused: 0 })
    expect(await box.get(job?.id ?? '')).toEqual([
      { ...job, putAt: expect.any(Date), dueAt: expect.any(Date) },
    ])
    expect(await box.forget([job?.id ?? ''])).toEqual({ changed: 1, refused: 0 })
    expect(await box.get(job?.id ?? '')).toEqual([])
  })

  it('are listed and mended on PGlite', async () => {
    const db = new PGlite()
    onTestFinished(() => db.close())
    const box = inbox(db)
    await box.migrate()
    await shop(box).put()
    const [job] = await box.list({ body: true })
    expect(job?.body?.length).toBeGreaterThan(0)
    expect(await box.again(job?.id)).toEqual({ changed: 1, refused: 0 })
    expect(await box.forget(job?.id ?? '')).toEqual({ changed: 1, refused: 0 })
  }, 240_000) // it compiles for a while on a busy machine

  it('that an earlier version put are listed, too, once the table is migrated', async () => {
    const { box, table, put, states } = await scene()
    await put(undefined, 'evt_1')
    await put(undefined, 'evt_2')
    await on.pool.query(
      `DROP INDEX ${table}_dead, ${table}_kept; ALTER TABLE ${table} DROP COLUMN number, DROP COLUMN type, DROP COLUMN keep_until`,
    )
    await expect(box.list()).rejects.toThrow(/of an earlier version: run `await box.migrate\(\)` once/)
    await box.migrate()
    expect((await states()).toSorted()).toEqual(['evt_1 waiting', 'evt_2 waiting'])
    const jobs = await box.list()
    expect(jobs.map(({ type }) => type)).toEqual([undefined, undefined])
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(2)
  })

  it('are put and mended by a role that has rights on the table alone', async () => {
    const { table } = await scene()
    await on.pool.query(`CREATE ROLE app LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO app`)
    const own = new pg.Pool({ ...on.server.address, user: 'app' })
    onTestFinished(() => own.end())
    const box = inbox(own, { table })
    await shop(box).put()
    const [job] = await box.list()
    expect(await box.again(job?.id)).toEqual({ changed: 1, refused: 0 })
    expect(await box.forget(job?.id ?? '')).toEqual({ changed: 1, refused: 0 })
  })

  it('oldest() says for each listener how long its first job has been due', async () => {
    const { box, table, put } = await scene()
    expect(await box.oldest()).toEqual([])
    await put()
    await put()
    await shop(box, 'later').put()
    await on.pool.query(`UPDATE ${table} SET due_at = now() - interval '90 s' WHERE id = 'evt_2'`)
    await on.pool.query(`UPDATE ${table} SET due_at = now() + interval '1 h' WHERE listener_id = 'later'`)
    const [stripe, ...others] = await box.oldest()
    expect(others).toEqual([])
    expect(stripe?.listener).toBe('stripe')
    expect(Math.round((stripe?.dueForMs ?? 0) / 10_000)).toBe(9)
  })
})

describe('a wrong question about jobs', () => {
  const box = inbox({ query: () => Promise.reject(new Error('nothing may be asked')) })
  const OURS = 'job_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' // zeros, whose checksum is another

  it.each<[string, unknown, RegExp]>([
    ['state', 'failed', /^state: must be 'waiting' or 'running' or 'held' or 'dead' or 'done'/],
    ['listener', { id: 'stripe' }, /^listener: must be a text that is not empty, not Object/],
    ['type', '', /^type: must be a text that is not empty/],
    ['type', ['push'], /^type: must be a text that is not empty, not Array/],
    ['before', 'evt_1', /^before: must be the `id` of a listed job, or a Date: for a time, new Date\(text\)/],
    ['before', OURS, /^before: must be the `id` of a listed job/],
    ['before', '2026-11-29', /new Date\(text\)/],
    ['before', 1_790_000_000, /^before: must be the `id` of a listed job, or a valid Date/],
    ['before', new Date('yesterday'), /or a valid Date/],
    ['limit', 0, /^limit: must be a whole number from 1 to 1000: for more, list again with `before`/],
    ['limit', 1001, /^limit: /],
    ['limit', '10', /^limit: /],
    ['limit', 1.5, /^limit: /],
    ['body', 'yes', /^body: must be true or false/],
    ['status', 'dead', /^status: list has no such option; did you mean state\?/],
  ])('list() refuses %s: %j, with the fix', async (name, value, message) => {
    await expect(box.list({ [name]: value } as ListOptions)).rejects.toThrow(message)
  })

  it.each<[unknown, RegExp]>([
    ['evt_1', /^job: must be the `id` of a job that list\(\) returned.*pass \{ listener, eventId \}$/],
    [OURS, /^job: must be the `id`/],
    ['', /^job: must be the `id`/],
    [['job_1'], /^job: must be the `id`/],
    [5, /^job: must be the `id`/],
    [null, /^job: must be the `id`/],
    [{ eventId: 'evt_1' }, /^listener: must be a text that is not empty, not undefined/],
    [{ listener: 'stripe', eventId: { id: 1 } }, /^eventId: must be a text that is not empty, not Object/],
    [{ listener: 'stripe', id: 'evt_1' }, /^id: job has no such option; it has listener, eventId/],
  ])('get, again and forget refuse %j, with the fix', async (name, message) => {
    const wrong = name as JobName // the wrong ones of plain JavaScript
    await expect(box.get(wrong)).rejects.toThrow(message)
    await expect(box.again(wrong)).rejects.toThrow(message)
    await expect(box.forget(wrong)).rejects.toThrow(message)
  })

  it('no error repeats what it refuses, which may be a payload', async () => {
    const wrong = [{ before: CUSTOMER }, { limit: CUSTOMER as never }, { state: CUSTOMER as never }]
    for (const options of wrong)
      await expect(box.list(options)).rejects.toThrow(
        expect.not.objectContaining({ message: expect.stringContaining(CUSTOMER) }),
      )
  })
})
