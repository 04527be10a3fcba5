import { EventStoreError } from '../../errors.ts'
import {
  CLAIM_ANSWERS,
  COMMIT_ANSWERS,
  type CommitAnswer,
  type EventKey,
  type EventStore,
} from '../../event-store.ts'
import { checkedElsewhere, checkOptions, type OptionTable, positiveInteger } from '../../lib/options.ts'
import {
  asciiText,
  INSIDE_TRANSACTIONS,
  knownAnswer,
  MODE_OPTIONS,
  type ModeOptions,
  type StoreProblem,
  singleSeconds,
  storeOf,
  tableMissing,
} from '../contract.ts'
import { problemsOf } from './check.ts'
import {
  checkTransaction,
  hasSqlState,
  type PostgresClient,
  type RunStatement,
  SERIALIZATION_FAILURE,
  statementRunner,
  UNDEFINED_TABLE,
} from './client.ts'
import { type EventTransactions, TransactionPerEvent } from './event-transactions.ts'
import { DEFAULT_TABLE, keyText, migration, type Statements, statementsFor } from './statements.ts'
import { checkSource, type OrmTransactions, type TransactionSource } from './transactions.ts'

export type { StoreProblem } from '../contract.ts'
export type { PostgresClient, PostgresQueryClient, PostgresUnsafeClient } from './client.ts'
export {
  type AdvanceAnswer,
  type EntityVersions,
  type EntityVersionsOptions,
  entityVersions,
  entityVersionsSchema,
} from './entity-versions.ts'
export type { EventTransactions } from './event-transactions.ts'
export { postgresSchema } from './statements.ts'
export type { OrmTransactions, PostgresConnection, TransactionSource } from './transactions.ts'

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
   * @param tx The client of an open transaction, or an executor `{ query(text, values) }` that runs statements in one.
   * @throws ListenerConfigError for a pool, because its statements may run on several connections. The commit throws
   * `EventStoreError` if the claim ran in no transaction, or in another one.
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
  transactionPerEvent<Tx extends object>(source: OrmTransactions<Tx>): EventTransactions<Tx>
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
  const { claimInside, claimAtOnce, commitInside } = statements
  const inside = (tx: PostgresClient, claim: string) => {
    const chosen = { ...statements, claim, commit: commitInside }
    return postgresVerbs(statementRunner(tx, 'tx'), { statements: chosen, seconds, inTransaction: true })
  }
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
      const storeInTx = inside(tx, claimInside)
      checkTransaction(tx)
      INSIDE_TRANSACTIONS.add(storeInTx)
      return storeInTx
    },
    transactionPerEvent<Tx extends object>(
      source: OrmTransactions<Tx> | TransactionSource<Tx & PostgresClient>,
    ) {
      checkSource(source)
      return new TransactionPerEvent<Tx>(source, (tx) => inside(tx, claimAtOnce), seconds)
    },
  }
}

/** Maximum attempts while other statements keep changing the same record. */
const MOST_ATTEMPTS = 5
/** A thousand years, well within the range of timestamps. */
const LONGEST_MS = 365_250 * 86_400_000

interface VerbOptions {
  readonly statements: Statements
  /** Retention in mode `single`, in seconds. Undefined in mode `two-phase`. */
  readonly seconds: number | undefined
  /** In the caller's transaction, a failed statement cannot be retried. */
  readonly inTransaction: boolean
}

/** The `EventStore` methods, on one connection or a pool. */
function postgresVerbs(run: RunStatement, { statements, seconds, inTransaction }: VerbOptions): EventStore {
  const ask = asker(run, inTransaction)
  const store = storeOf(
    {
      async claim(key, owner, ms) {
        try {
          // No row: another owner changed the record after this statement began, and holds it.
          const answer = await ask(statements.claim, await valuesOf(key, owner, ms))
          return answer === undefined ? 'busy' : knownAnswer('Postgres', CLAIM_ANSWERS, answer)
        } catch (error) {
          if (inTransaction && hasSqlState(error, SERIALIZATION_FAILURE)) return 'busy'
          throw error
        }
      },
      async commit(key, owner, ms) {
        const values = await valuesOf(key, owner, ms)
        for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
          const answer = await ask(statements.commit, values)
          // No row: the record changed after this statement began. The next attempt sees the change.
          if (answer !== undefined) return commitAnswer(answer)
        }
        throw new EventStoreError(
          `another statement changed the record during each of ${MOST_ATTEMPTS} commits`,
        )
      },
      async release(key, owner) {
        const [eventId, listener, escapedOwner] = await valuesOf(key, owner, 0)
        const answer = await ask(statements.release, [eventId, listener, escapedOwner])
        return answer !== undefined && knownAnswer('Postgres', ['released', 'lapsed'], answer) === 'released'
      },
      // Other claims wait for the end of the transaction, whatever the lease. A renewal could come after it, in another one.
      renew: inTransaction
        ? undefined
        : async (key, owner, ms) => {
            const answer = await ask(statements.renew, await valuesOf(key, owner, ms))
            return answer !== undefined && knownAnswer('Postgres', ['renewed'], answer) === 'renewed'
          },
    },
    seconds,
  )
  if (seconds === undefined || !inTransaction) return store
  // Fails if a statement has failed: Postgres would answer COMMIT with a rollback, and not with an error.
  const commit = async (_key: EventKey, owner: string) =>
    commitAnswer(await ask(statements.check, [asciiText(owner)]))
  return { ...store, commit }
}

/** @throws EventStoreError outside the transaction of the claim. */
function commitAnswer(answer: unknown): CommitAnswer {
  if (answer !== 'outside') return knownAnswer('Postgres', COMMIT_ANSWERS, answer)
  throw new EventStoreError(
    'claim and commit ran in different transactions: pass the transaction itself, not the client that began it, and leave COMMIT ' +
      'and ROLLBACK to event.commit() and event.release()',
  )
}

/** Returns the answer in the first row of a statement. Undefined if there is no row. */
function asker(
  run: RunStatement,
  inTransaction: boolean,
): (statement: string, values: readonly string[]) => Promise<unknown> {
  return async (statement, values) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const [row] = await run(statement, values)
        return row && (row.answer ?? 'nothing')
      } catch (error) {
        if (hasSqlState(error, UNDEFINED_TABLE)) throw tableMissing(error)
        const again = !inTransaction && attempt < MOST_ATTEMPTS
        if (!again || !hasSqlState(error, SERIALIZATION_FAILURE)) throw error
      }
    }
  }
}

async function valuesOf({ listenerId, eventId }: EventKey, owner: string, milliseconds: number) {
  const listener = await keyText(listenerId)
  return [eventId, listener, asciiText(owner), `${Math.min(milliseconds, LONGEST_MS)}`] as const
}
