import { ListenerConfigError } from '../../src/errors.ts'
import { memberOf } from '../../src/lib/member-of.ts'
import { hasMethod } from '../../src/lib/options.ts'
import type { StoreProblem } from '../contract.ts'
import { isD1, rowsOf, type SqliteConnection, type SqliteValue } from './connection.ts'
import { sqliteSchema } from './statements.ts'
import { type SqliteStore, type SqliteStoreOptions, tableStore } from './table-store.ts'

export { type SqliteStore, type SqliteStoreOptions, type StoreProblem, sqliteSchema }

/** A database of better-sqlite3, node:sqlite, libsql or bun:sqlite. */
export interface SyncSqlite {
  /** Runs statements that return nothing. */
  exec(sql: string): unknown
  /** Prepares a statement. */
  prepare(sql: string): { all(...values: SqliteValue[]): unknown }
}

/**
 * A client of @libsql/client, for a local file or a remote server.
 */
export interface LibsqlClient {
  /** Runs one statement, and resolves with its rows. */
  execute(statement: { sql: string; args: SqliteValue[] }): Promise<{ readonly rows: readonly unknown[] }>
  /** Runs statements that return nothing. */
  executeMultiple(sql: string): Promise<unknown>
  /** `file`, or that of a remote server. */
  readonly protocol?: string
}

/**
 * Stores events in a SQLite table, shared by all processes that open the file. Uses the database's clock. Create the table
 * with `migrate()`, and call `sweep()` regularly. If another process holds a lock, the store retries for up to a second and
 * then throws (503). Keep `busy_timeout` at 0: SQLite's own wait blocks your process.
 *
 * @example
 * ```ts
 * import Database from 'better-sqlite3'
 *
 * const store = sqliteStore(new Database('events.db'))
 * await store.migrate()
 * ```
 *
 * @param db A database of better-sqlite3, node:sqlite, libsql or bun:sqlite, or a client of @libsql/client. Do not run your
 *   own transactions on it: a claim made during one is rolled back with it.
 * @throws ListenerConfigError for another client, and for unknown or invalid options.
 */
export function sqliteStore(db: SyncSqlite | LibsqlClient, options: SqliteStoreOptions = {}): SqliteStore {
  return tableStore('sqliteStore', () => connectSqlite(db), options)
}

const KNOWN =
  'must be an open database of better-sqlite3, node:sqlite, libsql or bun:sqlite, or a client of @libsql/client'

/** @throws ListenerConfigError for any other client. The message names the supported ones. */
function connectSqlite(db: SyncSqlite | LibsqlClient): SqliteConnection {
  if (isLibsqlClient(db)) return libsqlConnection(db)
  if (!hasMethod(db, 'prepare') || !hasMethod(db, 'exec')) throw new ListenerConfigError('db', problemOf(db))
  if (isD1(db)) throw new ListenerConfigError('db', D1)
  const statement = anyStatement(db)
  // Other drivers have the same methods, but take callbacks or return promises.
  const isSync = statement === undefined || (hasMethod(statement, 'all') && Array.isArray(statement.all()))
  if (!isSync) throw new ListenerConfigError('db', KNOWN)
  return syncConnection(db)
}

/** Undefined if another process has locked the database, which must not prevent startup. */
function anyStatement(db: SyncSqlite): ReturnType<SyncSqlite['prepare']> | undefined {
  try {
    return db.prepare('SELECT 1 AS one')
  } catch {
    return undefined
  }
}

function syncConnection(db: SyncSqlite): SqliteConnection {
  const prepared = new Map<string, ReturnType<SyncSqlite['prepare']>>()
  return {
    async all(sql, values) {
      let statement = prepared.get(sql)
      if (statement === undefined) {
        statement = db.prepare(sql)
        prepared.set(sql, statement)
      }
      // Not get(): it stops after the first row, and drivers then hide a failed commit.
      return rowsOf(statement.all(...values))
    },
    run: async (statements) => db.exec(statements.join('\n')),
    isLocal: true,
  }
}

function libsqlConnection(client: LibsqlClient): SqliteConnection {
  return {
    all: async (sql, args) => (await client.execute({ sql, args })).rows,
    run: (statements) => client.executeMultiple(statements.join('\n')),
    isLocal: client.protocol === undefined || client.protocol === 'file',
  }
}

const D1 = 'is a D1 binding: pass it to d1Store of hookgate/stores/d1'
const DURABLE_OBJECT =
  'is the storage of a Durable Object: pass its namespace to durableObjectStore of hookgate/stores/durable-object'

function problemOf(db: unknown): string {
  if ([db, memberOf(db, 'sql')].some((holder) => memberOf(holder, 'databaseSize') !== undefined)) {
    return DURABLE_OBJECT
  }
  if (hasMethod(db, 'all') && hasMethod(db, 'bind')) return `${KNOWN}, not a statement`
  return typeof db === 'string' ? `${KNOWN}, not the name of a file: open it yourself` : KNOWN
}

function isLibsqlClient(db: SyncSqlite | LibsqlClient): db is LibsqlClient {
  return hasMethod(db, 'execute') && hasMethod(db, 'executeMultiple')
}
