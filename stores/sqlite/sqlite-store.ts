import type { StoreProblem } from '../contract.ts'
import { connectSqlite, type LibsqlClient, type SyncSqlite } from './clients.ts'
import { sqliteSchema } from './statements.ts'
import { type SqliteStore, type SqliteStoreOptions, tableStore } from './table-store.ts'

export {
  type LibsqlClient,
  type SqliteStore,
  type SqliteStoreOptions,
  type StoreProblem,
  type SyncSqlite,
  sqliteSchema,
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
