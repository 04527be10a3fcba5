import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import Libsql from 'libsql'
import { afterAll, describe, it } from 'vitest'
import type { LibsqlClient, SyncSqlite } from '../../src/stores/sqlite/store.ts'

/** An open database, and a way to query it without the store. */
export interface OpenDatabase {
  readonly db: SyncSqlite | LibsqlClient
  sql(text: string): Promise<readonly Record<string, unknown>[]>
  close(): void
}

export interface SqliteClient {
  readonly name: string
  /** SQLite's own wait for other writers, in milliseconds. Default 0: the store waits. */
  open(path: string, waitMs?: number): OpenDatabase
  /** Undefined for a client that always opens for writing. */
  openReadOnly?(path: string): OpenDatabase
}

type Closable = SyncSqlite & { close(): unknown }
type DatabaseClass = new (path: string, options?: object) => Closable

function opened(db: Closable): OpenDatabase {
  return {
    db,
    async sql(text) {
      const statement = /^\s*(SELECT|PRAGMA|EXPLAIN)/i.test(text) && !text.includes(' = ')
      // The tests know the type of their rows.
      if (statement) return db.prepare(text).all() as Record<string, unknown>[]
      db.exec(text)
      return []
    },
    close: () => void db.close(),
  }
}

/**
 * Imports a module that may be missing or built for another Node. Its name is in a variable, so that no tool resolves
 * it.
 */
async function classIn(module: string, name: string): Promise<DatabaseClass | undefined> {
  try {
    const Database: DatabaseClass = Reflect.get(await import(/* @vite-ignore */ module), name)
    new Database(':memory:').close()
    return Database
  } catch {
    return undefined
  }
}

const BetterSqlite = await classIn('better-sqlite3', 'default')
const NodeSqlite: DatabaseClass | undefined = Object(process.getBuiltinModule('node:sqlite')).DatabaseSync

function fromClass(name: string, Database: DatabaseClass): SqliteClient {
  const readOnly = name === 'node:sqlite' ? { readOnly: true } : { readonly: true }
  return {
    name,
    open: (path, timeout = 0) => opened(new Database(path, { timeout })),
    openReadOnly: (path) => opened(new Database(path, { timeout: 0, ...readOnly })),
  }
}

const libsqlClient: SqliteClient = {
  name: '@libsql/client',
  open(path, timeout = 0) {
    const client = createClient({ url: `file:${path}`, timeout })
    return {
      db: client,
      sql: async (text) => (await client.execute(text)).rows.map((row) => ({ ...row })),
      close: () => client.close(),
    }
  },
}

export const libsql: SqliteClient = {
  ...fromClass('libsql', Libsql),
  openReadOnly: (path) => opened(new Libsql(`file:${path}?mode=ro`)), // it ignores the option
}

/** The real clients of this process. Node has node:sqlite from 22.5 on, and only Bun has bun:sqlite. */
export const CLIENTS: readonly SqliteClient[] = [
  ...(BetterSqlite ? [fromClass('better-sqlite3', BetterSqlite)] : []),
  ...(NodeSqlite ? [fromClass('node:sqlite', NodeSqlite)] : []),
  libsql,
  libsqlClient,
]

/** One block per client. A client that must be compiled may be missing, and then the title says how to get it. */
export function describeEachClient(title: string, define: (client: SqliteClient) => void): void {
  for (const client of CLIENTS) describe(`${client.name}: ${title}`, () => define(client))
  if (BetterSqlite === undefined) {
    it.skip(`better-sqlite3: ${title} (skipped: not installed; npm i --no-save better-sqlite3@12.11.1)`)
  }
}

/** Paths of databases in a folder that is removed after the tests of this file. */
export function databaseFolder(): (name?: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-sqlite-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let count = 0
  return (name = 'events') => {
    count += 1
    return join(folder, `${name}-${count}.db`)
  }
}

const LOCKER = `
const Database = require('libsql')
const [path, sql, holdMs] = process.argv.slice(1)
const db = new Database(path, { timeout: 5000 })
db.exec(sql)
if (sql.includes('SELECT')) db.prepare('SELECT * FROM sqlite_master').all()
process.stdout.write('locked')
const end = () => { db.exec('ROLLBACK'); db.close(); process.exit() }
process.stdin.once('data', end).once('end', end)
if (holdMs) setTimeout(end, Number(holdMs))`

/** Another process that keeps a database locked until it is told, or for `holdMs`. */
export async function lockInAnotherProcess(
  path: string,
  { begin = 'BEGIN EXCLUSIVE', holdMs }: { begin?: string; holdMs?: number } = {},
): Promise<{ unlock(): Promise<void> }> {
  const locker = spawn(process.execPath, ['--eval', LOCKER, path, begin, `${holdMs ?? ''}`], {
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const gone = new Promise<void>((resolve) => locker.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    locker.stdout.once('data', () => resolve())
    void gone.then(() => reject(new Error('the other process could not lock the database')))
  })
  return {
    async unlock() {
      locker.stdin.end()
      await gone
    },
  }
}
