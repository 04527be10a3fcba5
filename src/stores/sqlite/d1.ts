import { ListenerConfigError } from '../../errors.ts'
import type { StoreProblem } from '../contract.ts'
import { refuseOtherKinds } from '../kinds.ts'
import { isD1, rowsOf, type SqliteConnection, type SqliteValue } from './client.ts'
import { sqliteSchema } from './statements.ts'
import { type SqliteStore, type SqliteStoreOptions, tableStore } from './table-store.ts'

export { type StoreProblem, sqliteSchema }

/** The part of a D1 statement that is used. */
export interface D1BoundStatement {
  /** Binds the values to the placeholders. */
  bind(...values: SqliteValue[]): D1BoundStatement
  /** Runs the statement, and resolves with its rows. */
  all(): Promise<{ readonly results: readonly unknown[] }>
}

/** The part of a D1 binding that is used. */
export interface D1Binding {
  /** Prepares a statement. */
  prepare(sql: string): D1BoundStatement
  /** Runs statements one after the other, in one transaction. */
  batch(statements: D1BoundStatement[]): Promise<unknown>
}

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

const KNOWN = 'must be a D1 binding of a Worker: env.DB, say, of d1_databases'
const UNDEFINED = 'it is undefined: does the configuration name it so?'

/** @throws ListenerConfigError for anything but a D1 binding. The message names the store that accepts it. */
function connectD1(binding: D1Binding): SqliteConnection {
  if (!isD1(binding)) {
    refuseOtherKinds(binding, 'binding', 'D1')
    const isUndefined = binding === undefined
    throw new ListenerConfigError('binding', isUndefined ? `${KNOWN}; ${UNDEFINED}` : KNOWN)
  }
  // Not first(): the write is only certain once the whole statement has run.
  const all: SqliteConnection['write'] = async (sql, values) => {
    const statement = binding.prepare(sql).bind(...values)
    return rowsOf((await statement.all()).results)
  }
  return {
    read: all,
    write: all, // D1 runs each statement as a transaction
    // Not exec(), which treats each line as a statement.
    run: (statements) => binding.batch(statements.map((sql) => binding.prepare(sql))),
    isLocal: false,
  }
}
