import { connectD1, type D1Binding, type D1BoundStatement } from './shared/d1-binding.ts'
import { sqliteSchema } from './shared/sqlite-statements.ts'
import { type SqliteStore, type SqliteStoreOptions, tableStore } from './shared/sqlite-store.ts'
import type { StoreProblem } from './shared/store-problem.ts'

export { type D1Binding, type D1BoundStatement, type StoreProblem, sqliteSchema }

/** The options of `sqliteStore`: `table`, `mode`, `retentionSeconds`. */
export interface D1StoreOptions extends SqliteStoreOptions {}

/** The three verbs, and `migrate()`, `sweep()` and `check()`, as `sqliteStore` has them. */
export interface D1Store extends SqliteStore {}

/**
 * Remembers events in a table of Cloudflare D1, for all Workers that are bound to the database, judged by its clock. One
 * statement a verb, always on the primary. Create the table with `migrate()`, or with `wrangler d1 migrations`; empty it
 * with `sweep()` in a Cron Trigger.
 *
 * @param binding What `d1_databases` of the Worker's configuration is called in `env`.
 * @throws ListenerConfigError for another binding or client, and for options that are unknown or wrong.
 */
export function d1Store(binding: D1Binding, options: D1StoreOptions = {}): D1Store {
  return tableStore('d1Store', () => connectD1(binding), options)
}
