import type { StoreProblem } from '../contract.ts'
import { connectD1, type D1Binding, type D1BoundStatement } from './d1-binding.ts'
import { sqliteSchema } from './statements.ts'
import { type SqliteStore, type SqliteStoreOptions, tableStore } from './table-store.ts'

export { type D1Binding, type D1BoundStatement, type StoreProblem, sqliteSchema }

/** The options of `d1Store`, the same as those of `sqliteStore`. */
export interface D1StoreOptions extends SqliteStoreOptions {}

/** The store, with the same `migrate()`, `sweep()` and `check()` as `sqliteStore`. */
export interface D1Store extends SqliteStore {}

/**
 * Stores events in a Cloudflare D1 table, shared by all Workers bound to the database. Uses the database's clock, and one
 * statement per method, always on the primary. Create the table with `migrate()` or `wrangler d1 migrations`. Call `sweep()`
 * from a Cron Trigger.
 *
 * @example
 * ```ts
 * const store = d1Store(env.DB)
 * ```
 *
 * @param binding The D1 binding in `env`, from `d1_databases` in your Worker's configuration.
 * @throws ListenerConfigError for another binding or client, and for unknown or invalid options.
 */
export function d1Store(binding: D1Binding, options: D1StoreOptions = {}): D1Store {
  return tableStore('d1Store', () => connectD1(binding), options)
}
