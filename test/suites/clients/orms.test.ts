import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { inbox } from '../../../src/inbox/index.ts'
import { defineListener } from '../../../src/index.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { hasSqlState, statementRunner } from '../../../src/stores/postgres/client.ts'
import {
  type PostgresClient,
  type PostgresQueryClient,
  type PostgresStore,
  postgresStore,
} from '../../../src/stores/postgres/store.ts'
import { signAs, toDelivery } from '../../../src/testing/index.ts'
import { storeKills } from '../../support/kills.ts'
import { type OpenPort, openPort } from '../../support/open-port.ts'
import { acceptedEvent, outcome } from '../../support/outcome.ts'
import { PostgresServer } from '../../support/postgres-server.ts'
import { serve } from '../../support/servers.ts'
import { killDuring } from '../../support/store-processes.ts'
import { type App, COMMIT_CASES, CONCURRENT_CASES } from './commit-cases.ts'
import { at, executorFrom, type Program, SUBJECTS, urlAt } from './subjects.ts'

const SECRET = 'whsec_of-a-test-with-32-characters-0'
const LEASE_MS = 60_000
const RETENTION_MS = 604_800_000
const INSERT = 'INSERT INTO payments VALUES ($1)'
const COUNT = 'SELECT count(*)::text AS n FROM payments WHERE id = $1'

const KILLED = ['pg', 'postgres.js', 'Prisma 7', 'Drizzle on pg']

const keyOf = () => ({ listenerId: 'stripe', eventId: crypto.randomUUID() })

describe('ORMs', () => {
  let server: PostgresServer
  let port: OpenPort
  let admin: pg.Pool

  beforeAll(async () => {
    server = await PostgresServer.start()
    port = await openPort(server.socketPath)
    vi.stubEnv('DATABASE_URL', urlAt(port))
    vi.spyOn(console, 'error').mockReturnValue() // the programs tell of a broken connection
    admin = new pg.Pool(server.address)
    await admin.query('CREATE TABLE payments (id text)')
    await admin.query("CREATE UNIQUE INDEX ON payments (id) WHERE id LIKE 'unique%'")
    await postgresStore(admin).migrate()
  })

  afterAll(async () => {
    await admin?.end()
    port?.close()
    await server?.remove()
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })

  it('the program of docs/idempotent.md runs an event once', async () => {
    vi.stubEnv('STRIPE_WEBHOOK_SECRET', SECRET)
    const { app }: { app: RequestListener } = await import(at('dist/app.js').href)
    const { address } = await serve(app)
    const url = `http://127.0.0.1:${'port' in address ? address.port : ''}/webhooks/stripe`
    const id = `evt_${crypto.randomUUID()}`
    const request = await signAs(stripe, { secret: SECRET, body: { id, type: 'invoice.paid' } })
    for (const _ of ['first', 'again']) expect((await fetch(url, request)).status).toBe(200)
    expect((await admin.query(COUNT, [id])).rows).toStrictEqual([{ n: '1' }])
    const failing = await signAs(stripe, {
      secret: SECRET,
      body: { id: `unique ${id}`, type: 'invoice.paid' },
    })
    await admin.query(INSERT, [`unique ${id}`])
    expect((await fetch(url, failing)).status).toBe(500)
    await admin.query('DELETE FROM payments WHERE id = $1', [`unique ${id}`])
    await expect.poll(async () => (await fetch(url, failing)).status).toBe(200)
  })

  describe.each(Object.entries(SUBJECTS))('%s', (name, { file, client, begin, nested, leavesOpen }) => {
    const isEmbedded = name === 'Drizzle on PGlite'
    let program: Program
    let root: PostgresClient
    let executor: PostgresQueryClient
    let store: PostgresStore

    beforeAll(async () => {
      program = await import(at(file).href)
      root = client(program)
      executor = queryClient(executorFrom(() => postgresStore(root), { client: root }, root))
      store = postgresStore(executor)
      if (isEmbedded) await executor.query('CREATE TABLE payments (id text)', [])
      await program.store.migrate()
    })

    async function payments(id: string): Promise<number> {
      const reader = isEmbedded ? postgresReader(executor) : admin
      return Number((await reader.query(COUNT, [id])).rows[0]?.n)
    }

    /** A transaction of the ORM as the store takes it: itself, or the executor that an error shows. */
    const takenOf = (tx: PostgresClient) =>
      executorFrom(() => statementRunner(tx, 'tx'), { sequelize: root, tx }, tx)

    const cases = isEmbedded ? COMMIT_CASES : { ...COMMIT_CASES, ...CONCURRENT_CASES }

    it.each(Object.entries(cases))('%s', async (_, run) => {
      const app: App<PostgresClient> = {
        store: program.store,
        pay: program.pay,
        payments,
        begin: (work) => begin(root, work),
        nested: (tx, work) => nested(tx, root, work),
        leavesOpen,
        run: (tx, text, ...values) => queryClient(takenOf(tx)).query(text, values),
        taken: takenOf,
      }
      await run(app, expect)
    })

    it('the store works through the executor that an error shows', async () => {
      const key = keyOf()
      expect(await store.claim(key, 'a', LEASE_MS)).toBe('acquired')
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('busy')
      expect(await store.release(key, 'b')).toBe(false)
      expect(await store.release(key, 'a')).toBe(true)
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('acquired')
      expect(await store.commit(key, 'b', 1)).toBe('committed')
      await expect.poll(() => store.sweep()).toBeGreaterThan(0)
      expect(await store.check()).toEqual(expect.any(Array))
    })

    it('a client that is no transaction is refused', async () => {
      const atRoot = { query: (text: string, values: string[]) => executor.query(text, values) }
      const joining = store.commitIn?.(atRoot, keyOf(), 'a', RETENTION_MS)
      await expect(joining).rejects.toThrow(/^tx: .*open transaction/)
    })

    it('an inbox runs on it, and its put and its end are part of the transactions of the ORM', async () => {
      const box = inbox(executor, { table: `inbox_${file.replace(/\W/g, '')}` })
      await box.migrate()
      const listener = defineListener({ id: 'stripe', auth: stripe({ secrets: SECRET }), store: box.store })
      const id = `evt_${crypto.randomUUID()}`
      const delivery = toDelivery(
        await signAs(stripe, { secret: SECRET, body: { id, type: 'invoice.paid' } }),
      )
      const event = await acceptedEvent(delivery, listener)
      const paying = (paid: string, end: (tx: PostgresClient) => Promise<unknown>) =>
        begin(root, async (tx) => {
          const taken = takenOf(tx)
          await queryClient(taken).query(INSERT, [paid])
          await end(taken)
        })
      const undone = paying(`put ${id}`, async (tx) => {
        await box.put(event, { tx })
        throw new Error('rolled back')
      })
      await expect(undone).rejects.toThrow('rolled back')
      const atRoot = box.put(event, { tx: { query: (text, values) => executor.query(text, values) } })
      await expect(atRoot).rejects.toThrow(/takes the client of an open transaction/)
      expect(await box.counts()).toMatchObject({ waiting: 0 })
      await paying(`put ${id}`, (tx) => box.put(event, { tx }))
      expect(await event.commit()).toBe('committed')
      const told: unknown[] = []
      const worker = box.work(listener, (job, { done }) => paying(job.id, done), {
        pollMs: 20,
        onError: (error) => told.push(error),
      })
      await expect.poll(() => box.counts()).toMatchObject({ waiting: 0, running: 0, done: 1 })
      await worker.stop()
      expect(told).toEqual([])
      for (const paid of [id, `put ${id}`]) expect(await payments(paid)).toBe(1)
      expect(await outcome(delivery, listener)).toBe('200 event_duplicate')
    })

    it('jobs of a key that are put in transactions run in their order on it, and a dead one holds the others', async () => {
      const box = inbox(executor, {
        ...{
          table: `keys_${file.replace(/\W/g, '')}`,
          keyOf: () => 'one',
          afterDead: 'hold',
          maxAttempts: 1,
        },
      })
      await box.migrate()
      const listener = defineListener({ id: 'stripe', auth: stripe({ secrets: SECRET }), store: box.store })
      const ids = [1, 2, 3].map(() => `evt_${crypto.randomUUID()}`)
      for (const id of ids) {
        const signed = await signAs(stripe, { secret: SECRET, body: { id, type: 'invoice.paid' } })
        const event = await acceptedEvent(toDelivery(signed), listener)
        await begin(root, (tx) => box.put(event, { tx: takenOf(tx) }))
      }
      const ran: string[] = []
      const drain = (bad?: string) =>
        box.drain(
          listener,
          ({ id }) => {
            ran.push(id)
            if (id === bad) throw new Error('no')
          },
          { onError: null },
        )
      expect(await drain(ids[1])).toEqual({ done: 1, failed: 0, dead: 1, waiting: 1 })
      expect(await box.counts()).toMatchObject({ held: 1, dead: 1 })
      expect(await box.again()).toEqual({ changed: 1, refused: 0 })
      expect(await drain()).toEqual({ done: 2, failed: 0, dead: 0, waiting: 0 })
      expect(ran).toEqual([ids[0], ids[1], ids[1], ids[2]])
    })

    it.each(['40001', '42P01', '23505'])('SQLSTATE %s is found in what the ORM throws', async (state) => {
      const raise = `DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''${state}''; END'`
      const error = await Promise.resolve(executor.query(raise, [])).catch((thrown: unknown) => thrown)
      expect(hasSqlState(error, state)).toBe(true)
      expect(hasSqlState(error, '40P01')).toBe(false)
    })

    it('the first claim on a missing table says what to run', async () => {
      const elsewhere = postgresStore(executor, { table: 'missing' })
      await expect(elsewhere.claim(keyOf(), 'a', LEASE_MS)).rejects.toThrow(/migrate\(\)/)
    })

    if (!KILLED.includes(name)) return

    const { kills, firstKill } = storeKills('orms', KILLED.indexOf(name))

    it('a killed process leaves an event and its payment, or neither', {
      timeout: 60_000 + kills * 4000,
    }, async ({ signal }) => {
      const config = { program: fileURLToPath(at(file)), url: urlAt(port) }
      const choice = { subject: '../../suites/clients/orms/subject', config, signal }
      const counts = await killDuring({ ...choice, kills, firstKill, leaseMs: 1000, lanes: 2 })
      const right = { kills, lost: 0, runTwiceAfterCommit: 0, effectRepeated: 0 }
      expect(counts).toMatchObject(right)
    })
  })
})

/** The same client, with `query`. */
const queryClient = (client: PostgresClient): PostgresQueryClient =>
  'query' in client ? client : { query: (text, values) => client.unsafe(text, values) }

/** The rows of an executor, as pg has them. */
function postgresReader(executor: PostgresQueryClient) {
  return {
    async query(text: string, values: string[]): Promise<{ rows: { n?: unknown }[] }> {
      const result = (await executor.query(text, values)) as { rows: { n?: unknown }[] } // of PGlite
      return result
    },
  }
}

const PAGE = readFileSync(new URL('../../../docs/idempotent.md', import.meta.url), 'utf8')

it.each([
  'app',
  'pg',
  'postgres-js',
  'prisma',
  'drizzle',
  'kysely',
  'typeorm',
  'knex',
  'mikroorm',
  'sequelize',
])('docs/idempotent.md shows %s.ts to the letter', (program) => {
  expect(PAGE).toContain(`\n${readFileSync(at(`${program}.ts`), 'utf8')}\`\`\`\n`)
})
