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

/** The options of `sqliteStore`, and of `d1Store`. */
export interface SqliteStoreOptions {
  /** Letters, digits and underscores. Default `hookgate_events`. */
  readonly table?: string | undefined
  /**
   * `two-phase` (default): a lease while the work runs, then done: at least once. `single`: done with the claim, one
   * write an event, at most once: an event whose handler fails or crashes is lost.
   */
  readonly mode?: 'two-phase' | 'single' | undefined
  /** How long `single` remembers an event, in seconds. Default 604,800. In `two-phase` the listener says it. */
  readonly retentionSeconds?: number | undefined
}

/** The store, and what setting it up and keeping it well takes. */
export interface SqliteStore extends EventStore {
  /** Creates the table and its index where they are missing. Any number of processes may do so at once. */
  migrate(): Promise<void>
  /**
   * Deletes records that are past their time, the oldest first, `limit` at most (default 1,000, which takes a few
   * milliseconds), and tells how many. Without it the table only grows. Run it every few seconds or minutes.
   */
  sweep(limit?: number): Promise<number>
  /** What is wrong with the table, and with a local database's settings. Empty when all is well. */
  check(): Promise<readonly StoreProblem[]>
}

const OPTIONS: OptionTable<SqliteStoreOptions> = {
  table: optional(tableName),
  mode: optional(oneOfWords('two-phase', 'single')),
  retentionSeconds: optional(positiveSeconds),
}

/**
 * A store in a table of SQLite, wherever that runs. `caller` is the exported function, for the messages.
 *
 * @throws ListenerConfigError for options that are unknown or wrong, and what `connect` throws.
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
