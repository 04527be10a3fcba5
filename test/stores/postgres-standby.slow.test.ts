import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inbox } from '../../src/inbox/index.ts'
import { entityVersions } from '../../src/stores/postgres/entity-versions.ts'
import { postgresStore } from '../../src/stores/postgres/store.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'

const LEASE_MS = 60_000
const FIX = /connect to the primary; an ORM with read replicas needs the executor of docs\/idempotent\.md/

const keyOf = () => ({ listenerId: 'orders', eventId: crypto.randomUUID() })

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('a standby of Postgres'), () => {
  let primary: PostgresServer
  let standby: PostgresServer
  let writes: pg.Pool
  let reads: pg.Pool

  beforeAll(async () => {
    primary = await PostgresServer.start()
    writes = new pg.Pool(primary.address).on('error', () => {})
    await postgresStore(writes).migrate()
    await inbox(writes).migrate()
    standby = await primary.standby()
    reads = new pg.Pool(standby.address).on('error', () => {})
  })

  afterAll(async () => {
    await writes?.end()
    await reads?.end()
    await standby?.remove()
    await primary?.remove()
  })

  it('check() tells a standby from a session that is read-only, and names what sends statements there', async () => {
    const found = (await postgresStore(reads).check()).filter(({ problem }) => problem.includes('read-only'))
    expect(found).toStrictEqual([
      { problem: expect.stringContaining('this server is a standby'), fix: expect.stringMatching(FIX) },
    ])
    const session = new pg.Pool({ ...primary.address, options: '-c default_transaction_read_only=on' })
    const problems = await postgresStore(session.on('error', () => {})).check()
    await session.end()
    expect(problems).toContainEqual({
      problem: expect.stringContaining('this session is read-only'),
      fix: expect.stringContaining('default_transaction_read_only'),
    })
  })

  it.each<[string, (pool: pg.Pool) => unknown]>([
    ['claim()', (pool) => postgresStore(pool).claim(keyOf(), 'a', LEASE_MS)],
    ['sweep()', (pool) => postgresStore(pool).sweep()],
    ['migrate()', (pool) => postgresStore(pool, { table: 'another' }).migrate()],
    ['migrate() of an inbox', (pool) => inbox(pool, { table: 'another_inbox' }).migrate()],
    ['a claim of an inbox', (pool) => inbox(pool).store.claim(keyOf(), 'a', LEASE_MS)],
    ['migrate() of versions', (pool) => entityVersions().migrate(pool)],
  ])('%s names the primary, and what sends statements to a standby', async (_, ask) => {
    const asked = Promise.resolve(ask(reads))
    await expect(asked).rejects.toThrow(FIX)
    await expect(asked).rejects.toMatchObject({ cause: { code: '25006' } })
  })

  it('a commit in an open transaction that is read-only names the primary', async () => {
    const tx = await reads.connect()
    await tx.query('BEGIN')
    await expect(postgresStore(reads).commitIn?.(tx, keyOf(), 'a', LEASE_MS)).rejects.toThrow(FIX)
    await tx.query('ROLLBACK')
    tx.release()
  })
})
