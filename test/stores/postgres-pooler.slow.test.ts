import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Delivery, EventStoreError } from '../../src/index.ts'
import {
  entityVersions,
  type PostgresClient,
  type PostgresStore,
  postgresStore,
} from '../../src/stores/postgres/store.ts'
import { eventStoreSuite } from '../../src/testing/index.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { behindPgbouncer, Pgbouncer, type PoolMode, WHY_NO_PGBOUNCER } from '../support/pgbouncer.ts'
import { PostgresServer } from '../support/postgres-server.ts'

const LEASE_MS = 60_000
const MINUTE_MS = 60_000
/** More than the pooler's connections to the server. */
const CLIENT_CONNECTIONS = 20
const CROWD = 100

const keyOf = () => ({ listenerId: 'orders', eventId: crypto.randomUUID() })

interface Open {
  readonly client: PostgresClient
  /** Runs `work` in one transaction and commits it. */
  transaction(run: (tx: PostgresClient) => Promise<void>): Promise<void>
  close(): Promise<void>
}

type Address = PostgresServer['address']

function openPg(address: Address): Open {
  const pool = new pg.Pool({ ...address, max: CLIENT_CONNECTIONS })
  pool.on('error', () => {})
  return {
    client: pool,
    close: () => pool.end(),
    async transaction(run) {
      const tx = await pool.connect()
      tx.on('error', () => {})
      try {
        await tx.query('BEGIN')
        await run(tx)
        await tx.query('COMMIT')
        tx.release()
      } catch (error) {
        tx.release(true)
        throw error
      }
    },
  }
}

function openPostgresJs(address: Address): Open {
  const sql = postgres({ ...address, max: CLIENT_CONNECTIONS, backoff: () => 0.1, onnotice() {} })
  return {
    client: sql,
    close: () => sql.end({ timeout: 1 }),
    transaction: (run) => sql.begin(run).then(() => {}),
  }
}

const CASES: readonly [string, (address: Address) => Open, PoolMode][] = [
  ["pg's Pool", openPg, 'transaction'],
  ["pg's Pool", openPg, 'statement'],
  ['postgres.js', openPostgresJs, 'transaction'],
  ['postgres.js', openPostgresJs, 'statement'],
]

let server: PostgresServer
let admin: pg.Pool
const versions = entityVersions()

/** How a transaction runs one statement. */
function runnerOf(tx: PostgresClient): (text: string) => PromiseLike<unknown> {
  return (text) => ('query' in tx ? tx.query(text, []) : tx.unsafe(text, []))
}

beforeAll(async () => {
  if (WHY_NO_PGBOUNCER !== undefined) return
  server = await PostgresServer.start()
  admin = new pg.Pool(server.address)
  admin.on('error', () => {})
  await versions.migrate(admin)
  await admin.query('CREATE TABLE states (entity text PRIMARY KEY, version int, writes int)')
})

afterAll(async () => {
  await admin?.end()
  await server?.remove()
})

describe.skipIf(WHY_NO_PGBOUNCER).each(CASES)(behindPgbouncer('%s behind PgBouncer'), (_, open, mode) => {
  let pooler: Pgbouncer
  let opened: Open
  let store: PostgresStore

  beforeAll(async () => {
    pooler = await Pgbouncer.start(server, mode)
    opened = open(pooler.address)
    store = postgresStore(opened.client)
    await Promise.all(Array.from({ length: 4 }, () => store.migrate()))
  })

  afterAll(async () => {
    await opened?.close()
    await pooler?.remove()
  })

  describe(`the contract of every store in mode ${mode}`, () => {
    const older = (ms: number) =>
      `UPDATE hookgate_events SET expires_at = expires_at - ${ms} * interval '1 millisecond'`
    eventStoreSuite(it, () => ({ store, advance: (ms) => admin.query(older(ms)).then() }))
  })

  it(`one of ${CROWD} claims at once in mode ${mode} is acquired, round for round`, async () => {
    for (let round = 0; round < 10; round += 1) {
      const key = keyOf()
      const claims = Array.from({ length: CROWD }, (_, owner) => store.claim(key, `${owner}`, LEASE_MS))
      const answers = await Promise.all(claims)
      expect(answers.toSorted()).toStrictEqual(['acquired', ...Array(CROWD - 1).fill('busy')])
      expect(await store.commit(key, `${answers.indexOf('acquired')}`, MINUTE_MS)).toBe('committed')
    }
  })

  it(`mode ${mode}: sweep() and check() work as on the server itself`, async () => {
    const key = keyOf()
    await store.claim(key, 'a', LEASE_MS)
    await admin.query('UPDATE hookgate_events SET expires_at = now()')
    expect(await store.sweep()).toBeGreaterThan(0)
    expect(await store.check()).toStrictEqual(await postgresStore(admin).check())
  })

  const keptTogether = async () => {
    const [kept, undone] = [keyOf(), keyOf()]
    for (const key of [kept, undone]) await store.claim(key, 'a', LEASE_MS)
    await opened.transaction(async (tx) => {
      expect(await store.commitIn?.(tx, kept, 'a', MINUTE_MS)).toBe('committed')
    })
    const failing = opened.transaction(async (tx) => {
      expect(await store.commitIn?.(tx, undone, 'a', MINUTE_MS)).toBe('committed')
      throw new Error('the effect failed')
    })
    await expect(failing).rejects.toThrow('the effect failed')
    expect(await store.claim(kept, 'b', LEASE_MS)).toBe('done')
    await expect.poll(async () => store.claim(undone, 'a', LEASE_MS)).toBe('acquired')
  }

  const refused = async () => {
    const key = keyOf()
    await store.claim(key, 'a', LEASE_MS)
    const failing = opened.transaction(async (tx) => {
      await store.commitIn?.(tx, key, 'a', MINUTE_MS)
    })
    await expect(failing).rejects.toThrow()
    await expect.poll(async () => store.claim(key, 'a', LEASE_MS)).toBe('acquired')
  }

  if (mode === 'transaction')
    it('commitIn(tx) is part of the transaction: what is rolled back was never done', keptTogether)
  else it('mode statement has no transactions: commitIn(tx) fails, and nothing is done', refused)

  const advanced = async (tx: PostgresClient, entity: string, version: number) => {
    const answer = await versions.advance(tx, entity, version)
    const write = `INSERT INTO states VALUES ('${entity}', ${version}, 1) ON CONFLICT (entity) DO UPDATE
      SET version = ${version}, writes = states.writes + 1`
    if (answer === 'newer') await runnerOf(tx)(write)
    return answer
  }
  const statesOf = async (entity: string) =>
    (await admin.query('SELECT version, writes FROM states WHERE entity = $1', [entity])).rows

  const manyEvents = async () => {
    const entity = crypto.randomUUID()
    const run = (key: ReturnType<typeof keyOf>, version: number, fails: boolean) =>
      opened.transaction(async (tx) => {
        expect(await versions.advance(tx, `${entity} ${version}`, version)).toBe('newer')
        await advanced(tx, entity, version)
        if (fails) throw new Error('of the handler')
        expect(await store.commitIn?.(tx, key, 'a', MINUTE_MS)).toBe('committed')
      })
    const take = async (version: number) => {
      const key = keyOf()
      expect(await store.claim(key, 'a', LEASE_MS)).toBe('acquired')
      if (version % 4 === 0) {
        await expect(run(key, version, true)).rejects.toThrow('of the handler')
        return expect(await store.release(key, 'a')).toBe(true)
      }
      // Here, postgres.js may take a COMMIT that the server answered with a rollback for one that succeeded.
      for (let answer = ''; answer !== 'done'; answer = await store.claim(key, 'a', LEASE_MS))
        await run(key, version, false)
    }
    const rest = Array.from({ length: 40 }, (_, version) => version)
    const lane = async () => {
      for (;;) {
        const [version] = rest.splice(Math.floor(Math.random() * rest.length), 1)
        if (version === undefined) return
        await take(version)
      }
    }
    await Promise.all([lane(), lane(), lane()])
    expect(await statesOf(entity)).toStrictEqual([{ version: 39, writes: expect.any(Number) }])
    const { rows } = await admin.query(
      "SELECT count(*)::int AS n FROM hookgate_versions WHERE entity LIKE $1 || ' %'",
      [entity],
    )
    expect(rows).toStrictEqual([{ n: 30 }])
  }

  const noEvents = async () => {
    const entity = crypto.randomUUID()
    const failing = opened.transaction(async (tx) => void (await advanced(tx, entity, 1)))
    await expect(failing).rejects.toThrow()
    expect(await statesOf(entity)).toStrictEqual([])
  }

  if (mode === 'transaction') {
    it(
      'commitIn(tx) and entityVersions.advance join one transaction: all is kept or undone together',
      manyEvents,
    )
  } else
    it('mode statement has no transaction for entityVersions: it fails, and nothing is written', noEvents)

  describe('in trouble', () => {
    const setting = () => hmacListener({ store, storeTimeoutSeconds: 0.5 })
    type Setting = ReturnType<typeof setting>

    const verdictOf = ({ listener }: Setting, delivery: Delivery) =>
      outcome(delivery, listener).catch((error: unknown) => {
        expect(error).toBeInstanceOf(EventStoreError)
        return 'undecided'
      })

    const flowsAgain = (on: Setting) =>
      expect.poll(async () => verdictOf(on, await on.deliver())).toBe('accepted')

    it(`server connections in mode ${mode} that end during claims leave them undecided, and it flows again`, async () => {
      const on = setting()
      await flowsAgain(on)
      const blocker = await admin.connect()
      await blocker.query('BEGIN; LOCK TABLE hookgate_events')
      const deliveries = await Promise.all(Array.from({ length: CLIENT_CONNECTIONS }, on.deliver))
      const verdicts = deliveries.map((delivery) => verdictOf(on, delivery))
      await sleep(50)
      await blocker.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
      )
      expect(new Set(await Promise.all(verdicts))).toStrictEqual(new Set(['undecided']))
      await blocker.query('ROLLBACK')
      blocker.release()
      await flowsAgain(on)
    })

    it(`a pooler in mode ${mode} that is killed is 503, and what was done stays done`, async () => {
      const on = setting()
      await flowsAgain(on)
      const done = await on.deliver()
      await (await acceptedEvent(done, on.listener)).commit()
      await pooler.halt()
      expect(await verdictOf(on, done)).toBe('undecided')
      expect(await verdictOf(on, await on.deliver())).toBe('undecided')
      await pooler.resume()
      await flowsAgain(on)
      expect(await verdictOf(on, done)).toBe('409 event_duplicate')
    })
  })
})
