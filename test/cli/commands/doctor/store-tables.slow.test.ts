import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Libsql from 'libsql'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { inbox } from '../../../../src/inbox/index.ts'
import { mysqlStore } from '../../../../src/stores/mysql/store.ts'
import { entityVersions, postgresStore } from '../../../../src/stores/postgres/store.ts'
import { sqliteStore } from '../../../../src/stores/sqlite/store.ts'
import { MariadbServer, onMariadb, WHY_NO_MARIADB } from '../../../support/mariadb-server.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../../../support/postgres-server.ts'
import { onRedis, startRedis, WHY_NO_REDIS } from '../../../support/redis-server.ts'
import { hookgate } from '../../support.ts'
import { diagnose } from './support.ts'

/** A busy machine may take longer than the doctor finds healthy, or keep the lock of a file that was just closed. */
const SLOW =
  /no answer in time|database is locked|a claim and a release take \d+ ms|(?:connection|read) timeout|timeout exceeded|ETIMEDOUT/

/** What the doctor says of the store, with nothing about its address, when the store answers as fast as it can. */
async function found(args: readonly string[]): Promise<readonly string[]> {
  let lines: readonly string[] = []
  const slow = async () => {
    lines = await told(args)
    return lines.filter((line) => SLOW.test(line))
  }
  await expect.poll(slow).toEqual([])
  return lines
}

async function told(args: readonly string[]): Promise<readonly string[]> {
  const { findings } = await diagnose(args)
  return findings
    .filter(({ id }) => id === 'store')
    .map(({ status, seen, fix }) => `${status} ${seen}${fix === undefined ? '' : ` → ${fix}`}`)
    .map((line) => line.replace(/(?:postgres|mysql|redis):\/\/[^/\s:]*(?::\d+)?|sqlite:\S+/, 'URL'))
}

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('the tables that the doctor finds in Postgres'), () => {
  let server: PostgresServer
  let pool: pg.Pool
  beforeAll(async () => {
    server = await PostgresServer.start('fsync=on')
    pool = new pg.Pool(server.address)
    pool.on('error', () => {})
    return async () => {
      await pool.end()
      await server.remove()
    }
  })
  beforeEach(async () => {
    await pool.query(
      'DROP SCHEMA IF EXISTS hookgate CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE SCHEMA hookgate; GRANT USAGE ON SCHEMA public TO PUBLIC',
    )
  })
  const on = (table: string) => `URL ${table} claims and releases, and check() found no problem`

  it("the docs' own hookgate.events is healthy, with the option and without", async () => {
    await postgresStore(pool, { table: 'hookgate.events' }).migrate()
    expect(await found(['--store', server.url])).toEqual([`ok ${on('hookgate.events')}`])
    expect(await found(['--store', server.url, '--store-table', 'hookgate.events'])).toEqual([
      `ok ${on('hookgate.events')}`,
    ])
    expect((await pool.query('SELECT FROM hookgate.events')).rowCount).toBe(0)
  })

  it('an inbox and a table of versions are found beside the events, and left as they were', async () => {
    await postgresStore(pool).migrate()
    await inbox(pool).migrate()
    await entityVersions().migrate(pool)
    expect(await found(['--store', server.url])).toEqual([
      'ok URL claims and releases, and check() found no problem',
      `ok ${on('hookgate_inbox')}`,
      'ok URL hookgate_versions: check() found no problem',
    ])
    expect((await pool.query('SELECT FROM hookgate_inbox')).rowCount).toBe(0)
  })

  it('an inbox alone is healthy, also under another name', async () => {
    await inbox(pool, { table: 'hookgate.Jobs' }).migrate()
    expect(await found(['--store', server.url])).toEqual([`ok ${on('hookgate.Jobs')}`])
    expect(await found(['--store', server.url, '--store-table', 'hookgate.Jobs'])).toEqual([
      `ok ${on('hookgate.Jobs')}`,
    ])
  })

  it('a table that is missing is named, with what was looked for and what is there', async () => {
    expect(await found(['--store', server.url])).toEqual([
      'fail URL: the table is missing, or this user cannot see its schema: hookgate_events; nor is there hookgate_inbox or ' +
        'hookgate_versions: no table has the columns of hookgate → run `await store.migrate()` once at deployment',
    ])
    await inbox(pool, { table: 'hookgate.jobs' }).migrate()
    await postgresStore(pool, { table: 'hookgate.events' }).migrate()
    expect(await found(['--store', server.url, '--store-table', 'hookgate.event'])).toEqual([
      'fail URL hookgate.event: the table is missing, or this user cannot see its schema: hookgate.event; there is ' +
        'hookgate.events (events), hookgate.jobs (inbox) → run `await store.migrate()` once at deployment',
    ])
  })

  it('a table that is closed to this user is named, and not checked', async () => {
    await postgresStore(pool, { table: 'hookgate.events' }).migrate()
    await pool.query('DROP ROLE IF EXISTS visitor; CREATE ROLE visitor LOGIN')
    expect(await found(['--store', server.url.replace('hookgate@', 'visitor@')])).toEqual([
      expect.stringContaining('there is hookgate.events (events, closed to this user)'),
    ])
  })

  it('a table whose name the store would not take is left alone', async () => {
    await postgresStore(pool, { table: 'hookgate.events' }).migrate()
    await pool.query('ALTER TABLE hookgate.events RENAME TO "a""; DROP TABLE x; --"')
    expect(await found(['--store', server.url])).toEqual([
      expect.stringContaining('no table has the columns of hookgate'),
    ])
    expect(await found(['--store', server.url, '--store-table', 'a"; DROP TABLE x; --'])).toEqual([
      expect.stringMatching(/^fail --store-table table: must be a name, or schema.name/),
    ])
  })

  it('who else may write to a table is a warning with the REVOKE, until it is named', async () => {
    await postgresStore(pool, { table: 'hookgate.events' }).migrate()
    await inbox(pool, { table: 'public.hookgate_inbox' }).migrate()
    await pool.query(`DROP ROLE IF EXISTS anon; CREATE ROLE anon; GRANT USAGE ON SCHEMA hookgate, public TO anon;
      GRANT INSERT ON hookgate.events, hookgate_inbox TO anon`)
    expect(await found(['--store', server.url])).toEqual(
      ['hookgate.events', 'public.hookgate_inbox'].map(
        (table) =>
          `warn URL ${table.replace('public.', '')}: the role anon may INSERT on the table: it decides which events run. If it should, ` +
          `name it in check({ writers }) → REVOKE INSERT ON TABLE ${table} FROM anon`,
      ),
    )
    expect(await found(['--store', server.url, '--store-writer', 'app', '--store-writer', 'anon'])).toEqual([
      `ok ${on('hookgate.events')}`,
      `ok ${on('hookgate_inbox')}`,
    ])
    await pool.query('DROP OWNED BY anon; DROP ROLE anon')
  })

  it.each([
    ['--store-table', 'events'],
    ['--store-writer', 'app'],
  ])('%s needs a store', async (...option) => {
    const { code, stderr } = await hookgate(['doctor', '--jwks', 'x', ...option])
    expect(stderr).toContain(`hookgate doctor: ${option[0]} needs --store URL or HOOKGATE_STORE`)
    expect(code).toBe(2)
  })
})

describe.skipIf(WHY_NO_MARIADB)(onMariadb('the tables that the doctor finds in MariaDB'), () => {
  let server: MariadbServer
  let pool: mysql.Pool
  let url: string
  beforeAll(async () => {
    server = await MariadbServer.start('innodb-flush-log-at-trx-commit=1')
    pool = mysql.createPool(server.address)
    url = `mysql://root@localhost/hookgate?socketPath=${encodeURIComponent(server.socketPath)}`
    return async () => {
      await pool.end()
      await server.remove()
    }
  })
  beforeEach(() => pool.query('DROP TABLE IF EXISTS hooks'))
  const on = (table: string) => `ok URL ${table} claims and releases, and check() found no problem`

  it('tables are found by their columns, in this database and in others', async () => {
    expect(await found(['--store', url])).toEqual([
      'fail URL: the table is missing, or this user cannot see it: hookgate_events; nor is there another: no table has the ' +
        'columns of hookgate → run `await store.migrate()` once at deployment, or the SQL of mysqlSchema()',
    ])
    await mysqlStore(pool, { table: 'hooks' }).migrate()
    await pool.query('CREATE DATABASE other')
    await mysqlStore(pool, { table: 'other.hooks' }).migrate()
    expect(await found(['--store', url])).toEqual([on('hookgate.hooks'), on('other.hooks')])
    expect(await found(['--store', url, '--store-table', 'other.hooks'])).toEqual([on('other.hooks')])
    expect(await found(['--store', url, '--store-table', 'hook'])).toEqual([
      expect.stringContaining(
        'the table is missing, or this user cannot see it: hook; there is hookgate.hooks (events)',
      ),
    ])
  })

  it('who else may write to a table is a warning with the REVOKE, until it is named', async () => {
    await mysqlStore(pool, { table: 'hooks' }).migrate()
    await pool.query('CREATE USER stranger')
    await pool.query('GRANT INSERT ON hooks TO stranger')
    expect(await found(['--store', url, '--store-table', 'hooks'])).toEqual([
      expect.stringMatching(
        /^warn URL hooks: `stranger`@`%` may INSERT .* → REVOKE INSERT ON `hookgate`.`hooks` FROM/,
      ),
    ])
    expect(await found(['--store', url, '--store-table', 'hooks', '--store-writer', 'stranger'])).toEqual([
      on('hooks'),
    ])
  })
})

describe('the tables that the doctor finds in SQLite', () => {
  async function database(table: string): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'hookgate-doctor-'))
    onTestFinished(() => rm(path, { recursive: true, force: true }))
    const db = new Libsql(join(path, 'events.db'))
    db.exec('PRAGMA journal_mode = WAL')
    await sqliteStore(db, { table }).migrate()
    db.close()
    return join(path, 'events.db')
  }

  it('a table of another name is healthy', async () => {
    const path = await database('hooks')
    const healthy = ['ok URL hooks claims and releases, and check() found no problem']
    expect(await found(['--store', `sqlite:${path}`])).toEqual(healthy)
    expect(await found(['--store', `sqlite:${path}`, '--store-table', 'hooks'])).toEqual(healthy)
    expect(await found(['--store', `sqlite:${path}`, '--store-table', 'hook'])).toEqual([
      expect.stringContaining('there is hooks (events)'),
    ])
    expect(await found(['--store', `sqlite:${path}`, '--store-writer', 'app'])).toEqual([
      'fail --store-writer names roles of Postgres or MySQL → remove it',
    ])
  })

  it.skipIf(process.platform === 'win32')('a file that every user may write is found', async () => {
    const path = await database('hookgate_events')
    await chmod(path, 0o646)
    expect(await found(['--store', `sqlite:${path}`])).toEqual([
      expect.stringMatching(/^warn every user of this machine may write URL → chmod o-w/),
      'ok URL claims and releases, and check() found no problem',
    ])
    await chmod(path, 0o664)
    expect(await found(['--store', `sqlite:${path}`])).toHaveLength(1)
  })
})

describe.skipIf(WHY_NO_REDIS)(onRedis('the prefix of the doctor in Redis'), () => {
  it('a user who may write one prefix alone is healthy under that prefix', async () => {
    const server = await startRedis('--appendonly', 'yes')
    onTestFinished(() => server.close())
    await server.cli('ACL', 'SETUSER', 'app', 'on', '>hunter22', '~hooks:*', '+@all')
    const url = `redis://app:hunter22@127.0.0.1:${server.port}`
    expect(await found(['--store', url, '--store-table', 'hooks:'])).toEqual([
      'ok URL hooks: claims and releases, and check() found no problem',
    ])
    expect((await found(['--store', url]))[0]).toMatch(/^fail/)
  })
})
