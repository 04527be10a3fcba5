import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import Libsql from 'libsql'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { mysqlStore } from '../../../../src/stores/mysql/store.ts'
import { postgresStore } from '../../../../src/stores/postgres/store.ts'
import { sqliteStore } from '../../../../src/stores/sqlite/store.ts'
import { MariadbServer, onMariadb, WHY_NO_MARIADB } from '../../../support/mariadb-server.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../../../support/postgres-server.ts'
import { onRedis, type RedisServer, startRedis, WHY_NO_REDIS } from '../../../support/redis-server.ts'
import { diagnose } from './support.ts'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hookgate-doctor-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

/** A file in which an application has or has not made its table. */
async function database({ migrated = true, journal = 'wal' } = {}): Promise<string> {
  const path = join(await folder(), 'events.db')
  const db = new Libsql(path)
  db.exec(`PRAGMA journal_mode = ${journal}; CREATE TABLE orders (id TEXT)`)
  if (migrated) await sqliteStore(db).migrate()
  db.close()
  return path
}

const rowsIn = (path: string) => {
  const db = new Libsql(path)
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
  const names = tables.map((row) => String(Reflect.get(Object(row), 'name')))
  const counts = names.map(
    (name) => `${name} ${Reflect.get(Object(db.prepare(`SELECT count(*) AS n FROM "${name}"`).get()), 'n')}`,
  )
  const journal = String(Reflect.get(Object(db.prepare('PRAGMA journal_mode').get()), 'journal_mode'))
  db.close()
  return [...counts, journal].toSorted()
}

describe('the check store, in SQLite', () => {
  it('store finds a missing file, and does not create it', async () => {
    const path = join(await folder(), 'none.db')
    const { code, complaints } = await diagnose(['--store', `sqlite:${path}`])
    expect(complaints).toEqual([
      `fail store: sqlite:${path} does not exist → correct the path, or run await store.migrate() once`,
    ])
    expect(code).toBe(1)
    await expect(readFile(path)).rejects.toThrow('ENOENT')
  })

  it('store finds a missing table, and does not create it', async () => {
    const path = await database({ migrated: false })
    const before = rowsIn(path)
    const { complaints } = await diagnose(['--store', `sqlite:${path}`])
    expect(complaints).toEqual([
      expect.stringMatching(/^fail store: .* the table is missing: .* → run `await store.migrate\(\)` once/),
    ])
    expect(rowsIn(path)).toEqual(before)
  })

  it.each([
    { scheme: 'supabase', mentions: ['ok'] },
    { scheme: 'stripe', mentions: [] },
  ])('store mentions a lease no longer than storeTimeoutSeconds: $scheme', async ({ scheme, mentions }) => {
    const { code, findings } = await diagnose([
      ...['--store', `sqlite:${await database()}`, '--scheme', scheme, '--offline'],
    ])
    const about = findings.filter(({ seen }) =>
      /leaseSeconds is 2 for .*, and storeTimeoutSeconds 2/.test(seen),
    )
    expect([code, about.map(({ status }) => status)]).toEqual([0, mentions])
  })

  it('store finds a journal that locks, and does not change it', async () => {
    const path = await database({ journal: 'delete' })
    const { code, complaints } = await diagnose(['--store', `sqlite:${path}`])
    expect(complaints).toEqual([
      expect.stringMatching(/^warn store: .* journal_mode is delete: .* → PRAGMA journal_mode = WAL/),
    ])
    expect(code).toBe(0)
    expect(rowsIn(path)).toContain('delete')
  })

  it('store finds nothing in a good one, even offline, and leaves no claim', async () => {
    const path = await database()
    const { code, complaints, findings } = await diagnose(['--offline', '--store', `sqlite:${path}`])
    expect(complaints).toEqual([])
    expect(findings.find(({ id }) => id === 'store')).toMatchObject({
      status: 'ok',
      seen: `sqlite:${path} claims and releases, and check() found no problem`,
    })
    expect(code).toBe(0)
    expect(rowsIn(path).filter((count) => !/ 0$|^wal$/.test(count))).toEqual([])
  })
})

describe('the check store', () => {
  it('store finds a password whose end is not clear, without printing any part of it', async () => {
    const { complaints, output } = await diagnose(['--store', 'postgres://user:hunter@22@127.0.0.1/db'])
    expect(complaints).toEqual([
      expect.stringMatching(
        /^fail store: the password in --store is ambiguous → percent-encode its special characters/,
      ),
    ])
    expect(output).not.toMatch(/hunter|22@/)
  })

  it.each([
    'redis://:hunter22@127.0.0.1:1',
    'postgres://user:hunter22@127.0.0.1:1/db',
    'mysql://user:hunter22@127.0.0.1:1/db',
  ])('store finds a server that is down: %s', async (url) => {
    const { code, complaints, output } = await diagnose(['--store', url])
    expect(complaints).toEqual([
      expect.stringMatching(
        /^fail store: .*127.0.0.1:1: .*ECONNREFUSED.* → start the store, or correct --store/,
      ),
    ])
    expect(code).toBe(1)
    expect(output).not.toContain('hunter22')
  })
})

describe.skipIf(WHY_NO_REDIS)(onRedis('the check store, in Redis'), () => {
  async function started(...settings: string[]): Promise<RedisServer> {
    const server = await startRedis(...settings)
    onTestFinished(() => server.close())
    return server
  }

  it('store finds an eviction policy that forgets', async () => {
    const { port } = await started(
      '--appendonly',
      'yes',
      '--maxmemory',
      '50mb',
      '--maxmemory-policy',
      'allkeys-lru',
    )
    const { complaints } = await diagnose(['--store', `redis://127.0.0.1:${port}`])
    expect(complaints).toEqual([
      expect.stringMatching(
        /^warn store: .* maxmemory-policy is allkeys-lru: .* → set maxmemory-policy to noeviction/,
      ),
    ])
  })

  it('store finds a user without write access', async () => {
    const server = await started('--appendonly', 'yes')
    await server.cli('ACL', 'SETUSER', 'reader', 'on', '>hunter22', '~*', '+@read', '+info', '+eval', '+time')
    const { code, complaints, output } = await diagnose([
      '--store',
      `redis://reader:hunter22@127.0.0.1:${server.port}`,
    ])
    expect(complaints).toEqual([
      expect.stringMatching(/^fail store: .* this user may not run .* → ACL SETUSER/),
    ])
    expect(code).toBe(1)
    expect(output).not.toContain('hunter22')
  })

  it('store finds nothing in a good one, and leaves no key', async () => {
    const { port } = await started('--appendonly', 'yes')
    const { complaints, findings } = await diagnose(['--store', `redis://127.0.0.1:${port}`])
    expect(complaints).toEqual([])
    expect(findings.find(({ id }) => id === 'store')?.status).toBe('ok')
    const client = new Redis(port)
    onTestFinished(() => client.disconnect())
    expect(await client.dbsize()).toBe(0)
  })
})

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('the check store, in Postgres'), () => {
  let server: PostgresServer
  let pool: pg.Pool
  beforeAll(async () => {
    server = await PostgresServer.start('fsync=on')
    pool = new pg.Pool(server.address)
    return async () => {
      await pool.end()
      await server.remove()
    }
  }, 60_000)

  const tables = async () =>
    (await pool.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).rows

  it('store finds a missing table, and does not create it', async () => {
    const { code, complaints } = await diagnose(['--store', server.url])
    expect(complaints).toEqual([
      expect.stringMatching(/^fail store: .* the table is missing, .* → run `await store.migrate\(\)` once/),
    ])
    expect(code).toBe(1)
    expect(await tables()).toEqual([])
  })

  it('store finds a user without write access', async () => {
    await postgresStore(pool).migrate()
    await pool.query('CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader')
    const { code, complaints } = await diagnose(['--store', server.url.replace('hookgate@', 'reader@')])
    expect(complaints).toEqual([
      expect.stringMatching(
        /^fail store: .* this user lacks permissions that the store needs → GRANT SELECT, INSERT/,
      ),
    ])
    expect(code).toBe(1)
  })

  it('store finds nothing in a good one, and leaves no row', async () => {
    await postgresStore(pool).migrate()
    const { code, complaints, findings } = await diagnose(['--store', server.url])
    expect(complaints).toEqual([])
    expect(findings.find(({ id }) => id === 'store')?.status).toBe('ok')
    expect(code).toBe(0)
    expect((await pool.query('SELECT count(*)::int AS n FROM hookgate_events')).rows).toEqual([{ n: 0 }])
  })
})

describe.skipIf(WHY_NO_MARIADB)(onMariadb('the check store, in MariaDB'), () => {
  let server: MariadbServer
  let pool: mysql.Pool
  beforeAll(async () => {
    server = await MariadbServer.start('innodb-flush-log-at-trx-commit=1')
    pool = mysql.createPool(server.address)
    return async () => {
      await pool.end()
      await server.remove()
    }
  }, 60_000)

  const url = (user = 'root') =>
    `mysql://${user}@localhost/hookgate?socketPath=${encodeURIComponent(server.socketPath)}`
  const count = async (text: string) => (await pool.query<mysql.RowDataPacket[]>(text))[0].length

  it('store finds a missing table, and does not create it', async () => {
    const { code, complaints } = await diagnose(['--store', url()])
    expect(complaints).toEqual([
      expect.stringMatching(/^fail store: .* the table is missing, .* → run `await store.migrate\(\)` once/),
    ])
    expect(code).toBe(1)
    expect(await count('SHOW TABLES')).toBe(0)
  })

  it('store finds a user without write access', async () => {
    await mysqlStore(pool).migrate()
    await pool.query('CREATE USER reader')
    await pool.query('GRANT SELECT ON hookgate.* TO reader')
    const { code, complaints } = await diagnose(['--store', url('reader')])
    expect(complaints).toEqual([
      expect.stringMatching(
        /^fail store: .* this user lacks permissions that the store needs → GRANT SELECT, INSERT/,
      ),
    ])
    expect(code).toBe(1)
  })

  it('store finds nothing in a good one, and leaves no claim', async () => {
    await mysqlStore(pool).migrate()
    const { code, complaints, findings } = await diagnose(['--store', url()])
    expect(complaints).toEqual([])
    expect(findings.find(({ id }) => id === 'store')?.status).toBe('ok')
    expect(code).toBe(0)
    expect(await count('SELECT 1 FROM hookgate_events WHERE expires_at > UTC_TIMESTAMP(6)')).toBe(0)
  })
})
