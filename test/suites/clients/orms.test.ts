import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { inbox } from '../../../src/inbox/index.ts'
import { defineListener, type WebhookEvent } from '../../../src/index.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { hasSqlState } from '../../../src/stores/postgres/client.ts'
import {
  type EventTransactions,
  type PostgresClient,
  type PostgresQueryClient,
  type PostgresStore,
  postgresStore,
} from '../../../src/stores/postgres/store.ts'
import { signAs, toDelivery } from '../../../src/testing/index.ts'
import { storeKills } from '../../support/kills.ts'
import { acceptedEvent, outcome } from '../../support/outcome.ts'
import { Pgbouncer } from '../../support/pgbouncer.ts'
import { PostgresServer } from '../../support/postgres-server.ts'
import { serve } from '../../support/servers.ts'
import { killDuring } from '../../support/store-processes.ts'

const SECRET = 'whsec_of-a-test-with-32-characters-0'
const LEASE_MS = 60_000
const RETENTION_MS = 604_800_000
const INSERT = 'INSERT INTO payments VALUES ($1)'
const COUNT = 'SELECT count(*)::text AS n FROM payments WHERE id = $1'
const OVER = { code: 'ERR_TRANSACTION_OVER' }

const RACES = 20

/** What each program of the folder `orms` exports. */
interface Program {
  readonly store: PostgresStore
  readonly events: EventTransactions<object>
  pay(event: Pick<WebhookEvent<unknown>, 'id'>): Promise<void>
}

interface Subject {
  readonly file: string
  /** The ORM's client in the program. */
  client(program: Program): PostgresClient
  /** The ORM's own transaction. */
  begin<Result>(client: object, work: (tx: PostgresClient) => Promise<Result>): Promise<Result>
  /** A savepoint in it, where the ORM has them in the transaction of a callback. */
  nested?(tx: object, client: object, work: (tx: object) => Promise<void>): Promise<void>
  /** A payment through the ORM on pg's own connection. Runs when it is awaited. */
  onConnection?(connection: object, id: string): PromiseLike<unknown>
}

interface Subjects {
  readonly SUBJECTS: Readonly<Record<string, Subject>>
  pasted(text: string, names: object): PostgresQueryClient
}

const at = (path: string) => new URL(`orms/${path}`, import.meta.url)
const { SUBJECTS, pasted }: Subjects = await import(at('subjects.mjs').href)

/** Where the ORM itself still runs a statement after the end, on a connection of its pool, perhaps in another transaction. */
const RUN_LATE: readonly string[] = ['Drizzle on pg', 'Drizzle on postgres.js']

/** Opens a port for the server, which has a socket only: not every client can name one in a URL. */
async function openPort(socketPath: string) {
  const sockets = new Set<Socket>()
  const join = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroy())
    from.pipe(to)
  }
  const front = createServer((incoming) => {
    const outgoing = connect(socketPath)
    join(incoming, outgoing)
    join(outgoing, incoming)
  })
  await once(front.listen(0, '127.0.0.1'), 'listening')
  const { port } = front.address() as AddressInfo // of a listening server
  return {
    url: `postgres://hookgate@127.0.0.1:${port}/postgres`,
    close() {
      for (const socket of sockets) socket.destroy()
      front.close()
    },
  }
}

const keyOf = () => ({ listenerId: 'stripe', eventId: crypto.randomUUID() })

/** The executor in an error that refused this client. The client itself if it is accepted. */
function executorFrom(make: () => unknown, names: object, client: PostgresClient): PostgresClient {
  try {
    make()
    return client
  } catch (error) {
    const line = /pass (\{ query: .+ \}) in its place/.exec(String(error))?.[1]
    return line === undefined ? expect.fail(`no executor: ${error}`) : pasted(line, names)
  }
}

describe('ORMs', () => {
  let server: PostgresServer
  let port: Awaited<ReturnType<typeof openPort>>
  let admin: pg.Pool

  beforeAll(async () => {
    server = await PostgresServer.start()
    port = await openPort(server.socketPath)
    vi.stubEnv('DATABASE_URL', port.url)
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

  describe.each(Object.entries(SUBJECTS))('%s', (name, { file, client, begin, nested, onConnection }) => {
    const isEmbedded = name === 'Drizzle on PGlite'
    let program: Program
    let root: PostgresClient
    let executor: PostgresQueryClient
    let store: PostgresStore

    beforeAll(async () => {
      program = await import(at(file).href)
      root = client(program)
      const accepted = executorFrom(() => postgresStore(root), { client: root }, root)
      if (!('query' in accepted)) expect.unreachable()
      executor = accepted
      store = postgresStore(executor)
      if (isEmbedded) await executor.query('CREATE TABLE payments (id text)', [])
      if (isEmbedded) await executor.query('CREATE UNIQUE INDEX ON payments (id)', [])
      await program.store.migrate()
    })

    async function payments(id: string): Promise<number> {
      const reader = isEmbedded ? postgresReader(executor) : admin
      return Number((await reader.query(COUNT, [id])).rows[0]?.n)
    }

    /** Claims an event, and opens its transaction. */
    async function open(events: EventTransactions<object> = program.events, leaseMs = LEASE_MS, id?: string) {
      const [key, owner] = [keyOf(), crypto.randomUUID()]
      const event = { id: id ?? key.eventId }
      expect(await events.claim(key, owner, leaseMs)).toBe('acquired')
      events.accepted?.(event, owner)
      return {
        key,
        event,
        id: event.id,
        tx: events.transactionOf(event),
        commit: async () => events.commit(key, owner, RETENTION_MS),
        release: async () => events.release(key, owner),
      }
    }

    /** The same transactions, with the ORM's own handle. */
    function bare() {
      const seen: PostgresClient[] = []
      const events = store.transactionPerEvent<PostgresClient>({
        begin: (work) =>
          begin(root, async (tx) => {
            seen.push(tx)
            return work(tx)
          }),
        executor: (tx) => executorFrom(() => store.with(tx), { sequelize: root, tx }, tx),
      })
      return { events, seen }
    }

    async function stripeEvent() {
      const listener = defineListener({
        id: 'stripe',
        auth: stripe({ secrets: SECRET }),
        store: program.events,
      })
      const id = `evt_${crypto.randomUUID()}`
      const request = await signAs(stripe, { secret: SECRET, body: { id, type: 'invoice.paid' } })
      return { listener, id, delivery: toDelivery(request) }
    }

    it('the record of an event and its payment commit together', async () => {
      const { listener, id, delivery } = await stripeEvent()
      const event = await acceptedEvent(delivery, listener)
      await program.pay(event)
      if (!isEmbedded) expect(await payments(id)).toBe(0)
      expect(await event.commit()).toBe('committed')
      expect(await payments(id)).toBe(1)
      expect(await outcome(delivery, listener)).toBe('200 event_duplicate')
    })

    it('a released event leaves no payment and no error in the log of the server, and runs again', async () => {
      const { listener, id, delivery } = await stripeEvent()
      const event = await acceptedEvent(delivery, listener)
      await program.pay(event)
      const before = server.log.length
      expect(await event.release()).toBe(true)
      await admin.query(`DO 'BEGIN RAISE LOG ''read up to here''; END'`)
      await expect.poll(() => server.log.slice(before)).toContain('read up to here')
      expect(server.log.slice(before)).not.toMatch(/ERROR|WARNING/)
      expect(await payments(id)).toBe(0)
      const again = await acceptedEvent(delivery, listener)
      await program.pay(again)
      expect(await again.commit()).toBe('committed')
      expect(await payments(id)).toBe(1)
    })

    it('the end of the lease rolls back, and the event runs again', async () => {
      const event = await open(program.events, 200)
      await program.pay(event.event)
      await expect.poll(async () => program.events.claim(event.key, 'next', LEASE_MS)).toBe('acquired')
      await expect(event.commit()).rejects.toMatchObject({ code: 'ERR_LEASE_LOST' })
      expect(await program.events.release(event.key, 'next')).toBe(true)
      expect(await payments(event.id)).toBe(0)
    })

    it('a begin that hides a rollback and then writes keeps nothing', async () => {
      const insideOf = (tx: PostgresClient) =>
        executorFrom(() => store.with(tx), { sequelize: root, tx }, tx) as PostgresQueryClient // TypeORM's has it too
      const id = `hidden ${crypto.randomUUID()}`
      const careless = store.transactionPerEvent<PostgresClient>({
        begin: (work) =>
          begin(root, async (tx) => {
            const result = await work(tx).catch(() => undefined as never) // as JavaScript can
            await insideOf(tx)
              .query(INSERT, [id])
              .then(undefined, () => {})
            return result
          }),
        executor: insideOf,
      })
      const event = await open(careless)
      await insideOf(event.tx as PostgresClient).query(INSERT, [event.id])
      await event.release().catch(() => {}) // some ORMs fail for the statement that failed
      for (const written of [event.id, id]) expect(await payments(written)).toBe(0)
      expect(await program.store.claim(event.key, 'next', 1)).toBe('acquired')
    })

    it('an event whose unique violation was swallowed is not done', async () => {
      const event = await open(undefined, LEASE_MS, `unique ${crypto.randomUUID()}`)
      await program.pay(event.event)
      await program.pay(event.event).catch(() => {})
      await expect(event.commit()).rejects.toThrow()
      expect(await payments(event.id)).toBe(0)
      expect(await program.store.claim(event.key, 'next', 1)).toBe('acquired')
    })

    it.each(['commit', 'release', 'lapse'] as const)('the transaction throws after %s', async (end) => {
      const event = await open(undefined, end === 'lapse' ? 200 : LEASE_MS)
      await program.pay(event.event)
      if (end === 'lapse')
        await expect.poll(() => program.pay(event.event).catch(({ code }) => code)).toBe(OVER.code)
      else await event[end]()
      const { tx } = event
      const late = async () => {
        const known = vi.spyOn(program.events, 'transactionOf').mockReturnValue(tx)
        try {
          await program.pay({ id: `late ${event.id}` })
        } finally {
          known.mockRestore()
        }
      }
      await expect(late()).rejects.toMatchObject(OVER)
      expect(await payments(`late ${event.id}`)).toBe(0)
    })

    it(`the ORM itself ${RUN_LATE.includes(name) ? 'runs' : 'refuses'} a statement after the end`, async () => {
      const { events, seen } = bare()
      const event = await open(events)
      await event.commit()
      const tx = seen[0] ?? expect.unreachable()
      const own = executorFrom(() => store.with(tx), { sequelize: root, tx }, tx)
      if (!('query' in own)) return expect.unreachable()
      const write = async () => own.query(INSERT, [event.id])
      const written = write().then(
        () => 'written',
        () => 'refused',
      )
      expect(await written).toBe(RUN_LATE.includes(name) ? 'written' : 'refused')
      expect(await payments(event.id)).toBe(RUN_LATE.includes(name) ? 1 : 0)
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

    it('with(executor) records in the transaction, or not at all', async () => {
      const [kept, dropped] = [keyOf(), keyOf()]
      const attempt = (key: typeof kept, fails: boolean) =>
        begin(root, async (tx) => {
          const inside = store.with(executorFrom(() => store.with(tx), { sequelize: root, tx }, tx))
          expect(await inside.claim(key, 'a', LEASE_MS)).toBe('acquired')
          expect(await inside.commit(key, 'a', RETENTION_MS)).toBe('committed')
          if (fails) throw new Error('the effect failed')
        })
      await attempt(kept, false)
      await expect(attempt(dropped, true)).rejects.toThrow('the effect failed')
      expect(await store.claim(kept, 'b', LEASE_MS)).toBe('done')
      expect(await store.claim(dropped, 'b', LEASE_MS)).toBe('acquired')
    })

    it('a client that is no transaction is found at the commit', async () => {
      const bareRoot = { query: (text: string, values: string[]) => executor.query(text, values) }
      const key = keyOf()
      const inside = store.with(bareRoot)
      expect(await inside.claim(key, 'a', LEASE_MS)).toBe('acquired')
      await expect(inside.commit(key, 'a', RETENTION_MS)).rejects.toThrow(/different transactions/)
      if (isEmbedded) return // its one connection is in the transaction
      const outside = store.transactionPerEvent<PostgresClient>({
        begin: (work) => begin(root, work),
        executor: () => bareRoot,
      })
      const event = await open(outside)
      await expect(event.commit()).rejects.toThrow(/different transactions/)
      expect(await store.claim(event.key, 'b', LEASE_MS)).not.toBe('done')
    })

    if (nested) {
      it('a failure in a nested transaction undoes that alone', async () => {
        const { events } = bare()
        const event = await open(events)
        const insert = (tx: object, id: string) => {
          const own = executorFrom(
            () => store.with(tx as PostgresClient),
            { sequelize: root, tx },
            tx as PostgresClient,
          )
          return 'query' in own ? own.query(INSERT, [id]) : expect.unreachable()
        }
        const id = `unique ${event.id}`
        await insert(event.tx, id)
        await nested(event.tx, root, async (inner) => {
          await insert(inner, `${id} inside`)
          await insert(inner, id)
        }).catch(() => {})
        expect(await event.commit()).toBe('committed')
        expect(await payments(id)).toBe(1)
        expect(await payments(`${id} inside`)).toBe(0)
      })
    }

    it('an inbox runs on it, and its put and its end are part of the transactions of the ORM', async () => {
      const box = inbox(executor, { table: `inbox_${file.replace(/\W/g, '')}` })
      await box.migrate()
      const listener = defineListener({ id: 'stripe', auth: stripe({ secrets: SECRET }), store: box.store })
      const { id, delivery } = await stripeEvent()
      const event = await acceptedEvent(delivery, listener)
      const paying = (paid: string, end: (tx: PostgresQueryClient) => Promise<void>) =>
        begin(root, async (tx) => {
          const inside = executorFrom(() => store.with(tx), { sequelize: root, tx }, tx)
          if (!('query' in inside)) expect.unreachable()
          await inside.query(INSERT, [paid])
          await end(inside)
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

    if (isEmbedded) return

    if (onConnection) {
      it('on a connection of the store, a statement that was built before the end is refused', async () => {
        const { event, key, commit, tx } = await open(
          store.transactionPerEvent({ connect: () => admin.connect() }),
        )
        const late = onConnection(tx, `late ${event.id}`)
        await onConnection(tx, event.id)
        expect(await commit()).toBe('committed')
        await expect((async () => late)()).rejects.toMatchObject({ cause: OVER })
        expect(await payments(key.eventId)).toBe(1)
        expect(await payments(`late ${event.id}`)).toBe(0)
      })
    }

    it('behind PgBouncer, an event that is committed is done, with its payment', async () => {
      const pooler = await Pgbouncer.start(server, 'transaction')
      const pooled = await openPort(`${pooler.address.host}/.s.PGSQL.5432`)
      onTestFinished(async () => {
        vi.stubEnv('DATABASE_URL', port.url)
        pooled.close()
        await pooler.remove()
      })
      vi.stubEnv('DATABASE_URL', pooled.url)
      const behind: Program = await import(`${at(file).href}?pooled`)
      const events: { id: string; key: ReturnType<typeof keyOf>; answer: unknown }[] = []
      const lane = async () => {
        for (let round = 0; round < 8; round += 1) {
          const { key, event, commit, release } = await open(behind.events)
          await behind.pay(event)
          const answer = round % 4 === 3 ? await release() : await commit().catch(() => 'failed')
          events.push({ id: event.id, key, answer })
        }
      }
      await Promise.all([lane(), lane(), lane()]) // as many as the pooler has connections
      for (const { id, key, answer } of events) {
        expect(await payments(id)).toBe(answer === 'committed' ? 1 : 0)
        expect(await store.claim(key, 'next', LEASE_MS)).toBe(answer === 'committed' ? 'done' : 'acquired')
      }
      expect(events.filter(({ answer }) => answer === 'committed')).toHaveLength(18)
    })

    it('one of eight claims at once is accepted, each time', async () => {
      for (let round = 0; round < RACES; round += 1) {
        const key = keyOf()
        const claims = Array.from({ length: 8 }, async (_, racer) =>
          program.events.claim(key, `${round} ${racer}`, LEASE_MS),
        )
        const answers = await Promise.all(claims)
        expect(answers.toSorted()).toStrictEqual(['acquired', ...Array(7).fill('busy')])
        const winner = `${round} ${answers.indexOf('acquired')}`
        expect(await program.events.commit(key, winner, RETENTION_MS)).toBe('committed')
      }
    })

    // In version 6, Prisma's own timer then rolls back in vain, and nobody catches that.
    const outlives = name === 'Prisma 6' ? undefined : it
    outlives?.('an event whose connection was ended by the server is not done, and runs again', async () => {
      const event = await open()
      await program.pay(event.event)
      await admin.query(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE state = 'idle in transaction'",
      )
      const answer = await event.commit().catch(() => 'failed')
      expect(answer).toBe('failed')
      expect(await payments(event.id)).toBe(0)
      await expect.poll(async () => program.events.claim(event.key, 'next', LEASE_MS)).toBe('acquired')
      expect(await program.events.commit(event.key, 'next', RETENTION_MS)).toBe('committed')
    })

    it('a killed process leaves an event and its payment, or neither', async ({ signal }) => {
      const config = { program: fileURLToPath(at(file)), url: port.url }
      const choice = { subject: '../../suites/clients/orms/subject', config, signal }
      const { kills, firstKill } = storeKills('orms', Object.keys(SUBJECTS).indexOf(name))
      const counts = await killDuring({ ...choice, kills, firstKill, leaseMs: LEASE_MS, lanes: 2 })
      const right = { kills, lost: 0, runTwiceAfterCommit: 0, effectRepeated: 0 }
      expect(counts).toMatchObject(right)
    })
  })
})

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

it.each(['app', 'prisma', 'drizzle', 'kysely', 'typeorm', 'knex', 'mikroorm', 'sequelize'])(
  'docs/idempotent.md shows %s.ts to the letter',
  (program) => {
    expect(PAGE).toContain(`\`\`\`ts no-check\n${readFileSync(at(`${program}.ts`), 'utf8')}\`\`\`\n`)
  },
)
