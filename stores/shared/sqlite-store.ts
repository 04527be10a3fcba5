import { ListenerConfigError } from '../../src/errors.ts'
import type { EventStore } from '../../src/event-store.ts'
import {
  checkOptions,
  type OptionTable,
  oneOfWords,
  optional,
  positiveInteger,
  positiveSeconds,
} from '../../src/lib/options.ts'
import { RETENTION_SECONDS } from '../../src/limits.ts'
import { checkSqlite } from './sqlite-check.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { waitingOutLocks } from './sqlite-patience.ts'
import { SQLITE_TABLE, schemaStatements, sqliteStatements, tableName } from './sqlite-statements.ts'
import { askTable, singlePhase, twoPhase } from './sqlite-verbs.ts'
import type { StoreProblem } from './store-problem.ts'

/**
 * The options of `sqliteStore`.
 *
 * @example
 * ```ts
 * const options: SqliteStoreOptions = { table: 'webhook_events' }
 * ```
 */
export interface SqliteStoreOptions {
  /** Letters, digits and underscores. Defaults to `hookgate_events`. */
  readonly table?: string | undefined
  /**
   * `two-phase` (default): leases the event while the handler runs, then commits it. At least once. `single`: commits with
   * the claim, one write per event. At most once: if the handler fails or crashes, the event is lost.
   */
  readonly mode?: 'two-phase' | 'single' | undefined
  /** How long `single` remembers an event, in seconds. Defaults to 604,800. `two-phase` uses the listener's retention. */
  readonly retentionSeconds?: number | undefined
}

/**
 * The store, with methods for setup and maintenance.
 *
 * @example
 * ```ts
 * await store.migrate()
 * setInterval(() => store.sweep().catch(console.error), 60_000)
 * ```
 */
export interface SqliteStore extends EventStore {
  /** Creates the table and its index if they are missing. Safe to run concurrently. */
  migrate(): Promise<void>
  /**
   * Deletes up to `limit` expired records (default 1,000, which takes a few milliseconds), oldest first, and returns their
   * number. Run it every few seconds or minutes; without it the table only grows.
   */
  sweep(limit?: number): Promise<number>
  /** Lists problems of the table and of a local database's settings. Empty if there are none. */
  check(): Promise<readonly StoreProblem[]>
}

const OPTIONS: OptionTable<SqliteStoreOptions> = {
  table: optional(tableName),
  mode: optional(oneOfWords('two-phase', 'single')),
  retentionSeconds: optional(positiveSeconds),
}

/**
 * Makes a store on any SQLite connection. `caller` is the exported function's name, for error messages.
 *
 * @throws ListenerConfigError for unknown or invalid options, and any error of `connect`.
 */
export function tableStore(
  caller: string,
  connect: () => SqliteConnection,
  options: SqliteStoreOptions,
): SqliteStore {
  checkOptions(caller, options, OPTIONS)
  const { table = SQLITE_TABLE, mode = 'two-phase', retentionSeconds = RETENTION_SECONDS } = options
  if (mode !== 'single' && options.retentionSeconds !== undefined) {
    throw new ListenerConfigError('retentionSeconds', "belongs to mode 'single'; give it to defineListener")
  }
  const given = connect()
  const connection = given.isLocal ? waitingOutLocks(given) : given
  const ask = askTable(connection)
  const statements = sqliteStatements(table)
  const verbs = mode === 'single' ? singlePhase(ask, statements, retentionSeconds) : twoPhase(ask, statements)
  return {
    ...verbs,
    async migrate() {
      await connection.run(schemaStatements(table))
    },
    async sweep(limit = 1000) {
      positiveInteger(limit, 'limit')
      return (await ask(statements.sweep, [limit])).length
    },
    check: () => checkSqlite(connection, table),
  }
}
