import { ListenerConfigError } from '../src/errors.ts'
import type { EventStore } from '../src/event-store.ts'
import {
  checkedElsewhere,
  checkOptions,
  type OptionTable,
  oneOfWords,
  optional,
  positiveSeconds,
} from '../src/lib/options.ts'
import { RETENTION_SECONDS } from '../src/limits.ts'
import { problemsOf } from './shared/postgres-check.ts'
import { checkTransaction, type PostgresClient, statementRunner } from './shared/postgres-client.ts'
import { DEFAULT_TABLE, migration, statementsFor } from './shared/postgres-sql.ts'
import { PostgresVerbs } from './shared/postgres-verbs.ts'
import type { StoreProblem } from './shared/store-problem.ts'

export type { PostgresClient, PostgresQueryClient, PostgresUnsafeClient } from './shared/postgres-client.ts'
export { postgresSchema } from './shared/postgres-sql.ts'
export type { StoreProblem } from './shared/store-problem.ts'

/** The options of `postgresStore`. */
export interface PostgresStoreOptions {
  /** `name` or `schema.name`, of letters, digits and underscores. Default `hookgate_events`. */
  readonly table?: string | undefined
  /**
   * `two-phase` (default): claim, then commit or release; an event whose handler crashed runs again. `single`: the claim
   * is the only write, and the event is done with it, so it runs at most once; inside `with(tx)`, exactly once.
   */
  readonly mode?: 'two-phase' | 'single' | undefined
  /** How long `single` remembers an event, in seconds. Default 604,800. In `two-phase` the listener says it. */
  readonly retentionSeconds?: number | undefined
}

/** The store, and what setting it up and keeping it well takes. */
export interface PostgresStore extends EventStore {
  /** Creates the table and its index where they are missing. Any number of processes may do so at once. */
  migrate(): Promise<void>
  /**
   * Deletes records that are past their time, the oldest first, `limit` at most (default 10,000), and tells how many.
   * Without it the table only grows. Run it every few minutes; records that another statement holds are passed by.
   */
  sweep(limit?: number): Promise<number>
  /** What is wrong with the server, the table or the pool. Empty when all is well. */
  check(): Promise<readonly StoreProblem[]>
  /**
   * The same store inside your transaction: the event's record and what you write beside it are there together or not at
   * all, so that an event takes effect exactly once. Other claims of the event wait until the transaction ends, which
   * `SET LOCAL lock_timeout` bounds. Claim with an owner that is new each time; roll back when it is not `acquired`.
   *
   * @param tx The client of an open transaction.
   * @throws ListenerConfigError for a pool, whose statements may run on several connections.
   */
  with(tx: PostgresClient): EventStore
}

const OPTIONS: OptionTable<PostgresStoreOptions> = {
  table: checkedElsewhere,
  mode: optional(oneOfWords('two-phase', 'single')),
  retentionSeconds: optional(positiveSeconds),
}

/**
 * Remembers events in a table of Postgres, judged by the server's clock. Create it with `migrate()`, empty it with
 * `sweep()`.
 *
 * @param client pg's Pool, Client or PoolClient, PGlite, neon() or neon's Pool, postgres.js, Bun's SQL.
 * @throws ListenerConfigError for another client, and for options that are unknown or wrong.
 */
export function postgresStore(client: PostgresClient, options: PostgresStoreOptions = {}): PostgresStore {
  checkOptions('postgresStore', options, OPTIONS)
  const { table = DEFAULT_TABLE, mode = 'two-phase', retentionSeconds = RETENTION_SECONDS } = options
  if (mode !== 'single' && options.retentionSeconds !== undefined) {
    throw new ListenerConfigError('retentionSeconds', "belongs to mode 'single'; give it to defineListener")
  }
  const run = statementRunner(client, 'client')
  const shared = {
    statements: statementsFor(table, mode),
    singleSeconds: mode === 'single' ? retentionSeconds : undefined,
  }
  const verbs = new PostgresVerbs({ ...shared, run, inTransaction: false })
  return Object.assign(verbs, {
    check: () => problemsOf(run, client, table),
    async migrate() {
      await run(migration(table), [])
    },
    with(tx: PostgresClient) {
      const runInTx = statementRunner(tx, 'tx')
      checkTransaction(tx)
      return new PostgresVerbs({ ...shared, run: runInTx, inTransaction: true })
    },
  })
}
