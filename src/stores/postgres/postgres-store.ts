import type { EventStore } from '../../event-store.ts'
import { checkedElsewhere, checkOptions, type OptionTable, positiveInteger } from '../../lib/options.ts'
import {
  INSIDE_TRANSACTIONS,
  MODE_OPTIONS,
  type ModeOptions,
  type StoreProblem,
  singleSeconds,
} from '../contract.ts'
import { problemsOf } from './check.ts'
import { checkTransaction, type PostgresClient, statementRunner } from './client.ts'
import {
  checkSource,
  type EventTransactions,
  TransactionPerEvent,
  type TransactionSource,
} from './event-transactions.ts'
import { DEFAULT_TABLE, migration, type Statements, statementsFor } from './sql.ts'
import { asker, postgresVerbs } from './verbs.ts'

export type { StoreProblem } from '../contract.ts'
export type { PostgresClient, PostgresQueryClient, PostgresUnsafeClient } from './client.ts'
export type { EventTransactions, PostgresConnection, TransactionSource } from './event-transactions.ts'
export { postgresSchema } from './sql.ts'

/** The options of `postgresStore`. */
export interface PostgresStoreOptions extends ModeOptions {
  /** `name` or `schema.name`, of letters, digits and underscores. Defaults to `hookgate_events`. */
  readonly table?: string | undefined
}

/**
 * The store, with methods for setup and maintenance.
 *
 * @example
 * ```ts
 * const store: PostgresStore = postgresStore(pool)
 * await store.migrate()
 * setInterval(() => store.sweep().catch(console.error), 300_000)
 * ```
 */
export interface PostgresStore extends EventStore {
  /** Creates the table and its index if they are missing. Safe to run concurrently. */
  migrate(): Promise<void>
  /**
   * Deletes up to `limit` expired records (default 10,000), oldest first, and returns their number. Run it every few
   * minutes; without it the table only grows. Skips records that another statement has locked.
   */
  sweep(limit?: number): Promise<number>
  /** Lists problems of the server, the table and the pool or client. Empty if there are none. */
  check(): Promise<readonly StoreProblem[]>
  /**
   * Returns the same store inside your transaction. The event's record and your own writes commit together or not at all, so
   * the event takes effect exactly once. Other claims of the event wait for the transaction; bound that wait with
   * `SET LOCAL lock_timeout`. Claim with a new owner each time, and roll back unless you get `acquired`.
   *
   * @param tx The client of an open transaction.
   * @throws ListenerConfigError for a pool, because its statements may run on several connections.
   */
  with(tx: PostgresClient): EventStore
  /**
   * Returns the same store with a transaction for each event, from its claim to its commit or release. What the handler writes
   * through `transactionOf(event)` commits together with the event's record or not at all. Await `event.commit()` before you
   * answer. After the end of the transaction, its client lets no statement through. A delivery of an event whose transaction is open
   * gets `busy` at once, in every process.
   *
   * If a process dies, its events are free at once. If the lease ends first, the transaction is rolled back.
   *
   * @param source Each open event occupies one of its connections.
   * @throws ListenerConfigError for a source without `connect` and `begin`.
   */
  transactionPerEvent<Tx extends PostgresClient>(source: TransactionSource<Tx>): EventTransactions<Tx>
}

const OPTIONS: OptionTable<PostgresStoreOptions> = {
  table: checkedElsewhere,
  ...MODE_OPTIONS,
}

/**
 * Stores events in a Postgres table, by the server's clock. Create the table with `migrate()`, and call `sweep()` regularly.
 *
 * @example
 * ```ts
 * import pg from 'pg'
 *
 * const postgres = new pg.Pool()
 * postgres.on('error', console.error) // without it, an idle connection that breaks ends the process
 * const store = postgresStore(postgres)
 * await store.migrate()
 * ```
 *
 * @param client pg's Pool, Client or PoolClient, PGlite, neon() or neon's Pool, postgres.js, or Bun's SQL.
 * @throws ListenerConfigError for another client, and for unknown or invalid options.
 */
export function postgresStore(client: PostgresClient, options: PostgresStoreOptions = {}): PostgresStore {
  checkOptions('postgresStore', options, OPTIONS)
  const { table = DEFAULT_TABLE, mode = 'two-phase' } = options
  const run = statementRunner(client, 'client')
  const statements = statementsFor(table, mode)
  const seconds = singleSeconds(options)
  const store = postgresVerbs(run, { statements, seconds, inTransaction: false })
  const { claimAtOnce, commitAtOnce, checkAtOnce } = statements
  const atOnce = { ...statements, claim: claimAtOnce, commit: commitAtOnce, check: checkAtOnce }
  const inside = (tx: PostgresClient, chosen: Statements) =>
    postgresVerbs(statementRunner(tx, 'tx'), { statements: chosen, seconds, inTransaction: true })
  return {
    ...store,
    check: () => problemsOf(run, client, table),
    async migrate() {
      await run(migration(table), [])
    },
    async sweep(limit = 10_000) {
      positiveInteger(limit, 'limit')
      return Number(await asker(run, false)(statements.sweep, [`${limit}`]))
    },
    with(tx) {
      const storeInTx = inside(tx, statements)
      checkTransaction(tx)
      INSIDE_TRANSACTIONS.add(storeInTx)
      return storeInTx
    },
    transactionPerEvent(source) {
      checkSource(source)
      return new TransactionPerEvent(source, (tx) => inside(tx, atOnce), seconds)
    },
  }
}
