import { connectSqlite, type LibsqlClient, type SyncSqlite } from './shared/sqlite-clients.ts'
import { sqliteSchema } from './shared/sqlite-statements.ts'
import { type SqliteStore, type SqliteStoreOptions, tableStore } from './shared/sqlite-store.ts'
import type { StoreProblem } from './shared/store-problem.ts'

export {
  type LibsqlClient,
  type SqliteStore,
  type SqliteStoreOptions,
  type StoreProblem,
  type SyncSqlite,
  sqliteSchema,
}

/**
 * Remembers events in a table of SQLite, for all processes that open the file, judged by the database's clock. Create
 * it with `migrate()`, empty it with `sweep()`. What another process keeps locked is waited for, up to a second; then the
 * verb throws (503). A `busy_timeout` above 0 stops your process while it waits.
 *
 * @param db Of better-sqlite3, node:sqlite, libsql or bun:sqlite, or a client of @libsql/client. It should not be one
 *   on which your own transactions run: what is claimed in the midst of one is rolled back with it.
 * @throws ListenerConfigError for another client, and for options that are unknown or wrong.
 */
export function sqliteStore(db: SyncSqlite | LibsqlClient, options: SqliteStoreOptions = {}): SqliteStore {
  return tableStore('sqliteStore', () => connectSqlite(db), options)
}
