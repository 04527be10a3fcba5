import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { inbox } from '../../../src/inbox/index.ts'
import { defineListener, type EventStore } from '../../../src/index.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { statementRunner } from '../../../src/stores/postgres/client.ts'
import { entityVersions } from '../../../src/stores/postgres/entity-versions.ts'
import {
  type PostgresClient,
  type PostgresQueryClient,
  type PostgresStore,
  postgresStore,
} from '../../../src/stores/postgres/store.ts'
import { signAs, toDelivery } from '../../../src/testing/index.ts'
import { type OpenPort, openPort } from '../../support/open-port.ts'
import { acceptedEvent } from '../../support/outcome.ts'
import { PostgresServer } from '../../support/postgres-server.ts'
import { at, executorFrom, type Program, SUBJECTS, urlAt } from './subjects.ts'

const SECRET = 'whsec_of-a-test-with-32-characters-0'
const LEASE_MS = 60_000
const RETENTION_MS = 604_800_000
const OURS = /hookgate|inbox|DO '/

interface Replicated {
  readonly name: string
  open(): Promise<Program>
  /** A read of the ORM. */
  read(program: Program): PromiseLike<unknown>
}

const { REPLICAS }: { readonly REPLICAS: readonly Replicated[] } = await import(at('replicas.mjs').href)

describe('ORMs with a read replica, a standby', () => {
  let primary: PostgresServer
  let standby: PostgresServer
  const ports: OpenPort[] = []
  let admin: pg.Pool

  beforeAll(async () => {
    primary = await PostgresServer.start('log_statement=all')
    admin = new pg.Pool(primary.address)
    await admin.query('CREATE TABLE payments (id text)')
    standby = await primary.standby('log_statement=all')
    for (const { socketPath } of [primary, standby]) ports.push(await openPort(socketPath))
    const [write, read] = ports.map(urlAt)
    vi.stubEnv('DATABASE_URL', write)
    vi.stubEnv('REPLICA_URL', read)
    vi.spyOn(console, 'error').mockReturnValue() // the programs tell of a broken connection
  })

  afterAll(async () => {
    await admin?.end()
    for (const port of ports) port.close()
    await standby?.remove()
    await primary?.remove()
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })

  describe.each(REPLICAS)('$name', ({ name, open, read }) => {
    const { client, begin } = SUBJECTS[name] ?? expect.unreachable()
    let program: Program
    let root: PostgresClient

    beforeAll(async () => {
      program = await open()
      root = client(program)
    })

    const executor = () => executorFrom(() => postgresStore(root), { client: root }, root)

    /** What the standby was sent by `work`. */
    async function sentToStandby(work: () => PromiseLike<unknown>): Promise<string> {
      const before = standby.log.length
      await work()
      const mark = crypto.randomUUID()
      const reader = new pg.Client(standby.address)
      await reader.connect()
      await reader.query(`SELECT '${mark}'`)
      await reader.end()
      await expect.poll(() => standby.log.slice(before)).toContain(mark)
      return standby.log.slice(before)
    }

    it('the ORM itself reads from the standby', async () => {
      expect(await sentToStandby(() => read(program))).toContain('payments')
    })

    it.each<[string, () => PostgresStore]>([
      ['the store of docs/idempotent.md', () => program.store],
      ['the store on the executor that the error shows', () => postgresStore(executor())],
    ])('%s asks the primary', async (_, storeOf) => {
      const sent = await sentToStandby(async () => {
        const store = storeOf()
        await store.migrate()
        const key = { listenerId: 'stripe', eventId: crypto.randomUUID() }
        expect(await store.claim(key, 'a', LEASE_MS)).toBe('acquired')
        expect(await store.renew?.(key, 'a', LEASE_MS)).toBe(true)
        expect(await store.claim(key, 'b', LEASE_MS)).toBe('busy')
        expect(await store.release(key, 'a')).toBe(true)
        expect(await store.claim(key, 'b', LEASE_MS)).toBe('acquired')
        expect(await store.commit(key, 'b', RETENTION_MS)).toBe('committed')
        expect(await store.claim(key, 'c', LEASE_MS)).toBe('done')
        await store.sweep()
        const problems = (await store.check()).map(({ problem }) => problem)
        expect(problems).not.toContainEqual(expect.stringMatching(/standby|read-only/))
      })
      expect(sent).not.toMatch(OURS)
    })

    it('its transactions are of the primary, with the store, the inbox and the versions in them', async () => {
      const table = `inbox_${name.replace(/\W/g, '')}`
      const listener = (store: EventStore) =>
        defineListener({ id: 'stripe', auth: stripe({ secrets: SECRET }), store })
      const sent = await sentToStandby(async () => {
        const box = inbox(executor(), { table })
        const versions = entityVersions()
        await box.migrate()
        await versions.migrate(executor())
        const id = `evt_${crypto.randomUUID()}`
        const request = await signAs(stripe, { secret: SECRET, body: { id, type: 'invoice.paid' } })
        const event = await acceptedEvent(toDelivery(request), listener(box.store))
        await box.put(event)
        expect(await event.commit()).toBe('committed')
        const inside = (work: (tx: PostgresQueryClient) => Promise<unknown>) =>
          begin(root, async (tx) => {
            const client = executorFrom(() => statementRunner(tx, 'tx'), { sequelize: root, tx }, tx)
            if (!('query' in client)) expect.unreachable()
            await client.query('INSERT INTO payments VALUES ($1)', [id])
            await work(client)
          })
        const worker = box.work(listener(box.store), (_, { done }) => inside(done), { pollMs: 20 })
        await expect.poll(() => box.counts()).toMatchObject({ waiting: 0, running: 0, done: 1 })
        await worker.stop()
        await inside((tx) => versions.advance(tx, name, 1))
        const other = await acceptedEvent(
          toDelivery(await signAs(stripe, { secret: SECRET, body: { id: `${id} 2`, type: 'invoice.paid' } })),
          listener(program.store),
        )
        await program.pay(other)
        expect(await other.commit()).toBe('already')
        const paid = await admin.query('SELECT FROM payments WHERE id LIKE $1', [`${id}%`])
        expect(paid.rowCount).toBe(3)
      })
      expect(sent).not.toMatch(OURS)
    })
  })
})
