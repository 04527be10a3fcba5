import { storedKey } from '../../event-key.ts'
import type { EventKey, EventStore } from '../../event-store.ts'
import { inTransaction } from '../../joining.ts'
import { checkedElsewhere, checkOptions, type OptionTable, positiveInteger } from '../../lib/options.ts'
import { answerIn, NONE, POSTGRES } from '../answer.ts'
import { asciiText, type CheckOptions, knownAnswer, type StoreProblem, storeOf } from '../contract.ts'
import { SQL_FIXES } from '../fixes.ts'
import { problemsOf, type TableNeeds } from './check.ts'
import { type PostgresClient, type RunStatement, statementRunner } from './client.ts'
import { doneInside } from './inside.ts'
import { migrate } from './migrate.ts'
import { claimed, committed, outside } from './outside.ts'
import {
  DEFAULT_TABLE,
  definitionOf,
  keyText,
  milliseconds,
  type Statements,
  statementsFor,
  TAKEN_OVER,
} from './statements.ts'

export type { CheckOptions, StoreProblem } from '../contract.ts'
export type { PostgresClient, PostgresQueryClient, PostgresUnsafeClient } from './client.ts'
export {
  type AdvanceAnswer,
  type EntityVersions,
  type EntityVersionsOptions,
  entityVersions,
  entityVersionsSchema,
} from './entity-versions.ts'
export { postgresSchema } from './statements.ts'

/** The options of `postgresStore`. */
export interface PostgresStoreOptions {
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
  /**
   * Creates the table and its index if they are missing. Safe to run concurrently. From a table that it creates, it takes what default
   * privileges gave to `PUBLIC`, `anon` and `authenticated`.
   */
  migrate(): Promise<void>
  /**
   * Deletes up to `limit` expired records (default 10,000), oldest first, and returns their number. Run it every few
   * minutes; without it the table only grows. Skips records that another statement has locked.
   */
  sweep(limit?: number): Promise<number>
  /**
   * Lists problems of the server, the table, who may write to it, and the pool or client. Empty if there are none. Changes nothing.
   *
   * @throws ListenerConfigError for unknown or invalid options.
   */
  check(options?: CheckOptions): Promise<readonly StoreProblem[]>
}

const OPTIONS: OptionTable<PostgresStoreOptions> = { table: checkedElsewhere }

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
  const { table = DEFAULT_TABLE } = options
  const run = statementRunner(client, 'client')
  const statements = statementsFor(table)
  return {
    ...postgresVerbs(run, statements),
    check: async (given = {}) => problemsOf(run, client, needsOf(table), given),
    async migrate() {
      await migrate(run, definitionOf(table), table)
    },
    async sweep(limit = 10_000) {
      positiveInteger(limit, 'limit')
      return Number(await asker(run)(statements.sweep, [`${limit}`]))
    },
  }
}

const needsOf = (table: string): TableNeeds => ({
  table,
  indexed: { expires_at: 'sweep()' },
  rights: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  migrate: 'store.migrate()',
})

/** The `EventStore` methods, on one connection or a pool. */
function postgresVerbs(run: RunStatement, statements: Statements): EventStore {
  const ask = asker(run)
  /** Asks for a claim or a commit, and of a lease that was over once more. */
  const take = async (statement: string, values: readonly string[], free: string, done: string) => {
    const answer = await ask(statement, values)
    if (answer !== TAKEN_OVER) return answer
    return (await ask(statements.takenOver, values.slice(0, 2))) === NONE ? free : done
  }
  const store = storeOf(
    {
      async claim(key, owner, ms) {
        return claimed(take(statements.claim, await valuesOf(key, owner, ms), 'acquired', 'done'))
      },
      async commit(key, owner, ms) {
        const values = await valuesOf(key, owner, ms)
        return committed(() => take(statements.commit, values, 'committed', 'already'))
      },
      async release(key, owner) {
        const [eventId, listener, escapedOwner] = await valuesOf(key, owner, 0)
        const answer = await ask(statements.release, [eventId, listener, escapedOwner])
        return knownAnswer('Postgres', ['released', 'lapsed', NONE], answer) === 'released'
      },
      async renew(key, owner, ms) {
        const answer = await ask(statements.renew, await valuesOf(key, owner, ms))
        const known = knownAnswer('Postgres', ['renewed', 'over', 'locked', NONE], answer)
        return known === 'renewed' || (known === 'locked' && known)
      },
    },
    SQL_FIXES,
  )
  return {
    ...store,
    commitIn: inTransaction(async (tx, key, owner, ms) => {
      const values = await valuesOf(await storedKey(key), owner, ms)
      await doneInside(tx, 'commit(tx)', statements.commitIn, values)
      return 'committed'
    }),
  }
}

/** Returns the answer of a statement. */
function asker(run: RunStatement): (statement: string, values: readonly string[]) => Promise<string> {
  const sent = outside(run)
  return async (statement, values) => answerIn(await sent(statement, values), POSTGRES)
}

async function valuesOf({ listenerId, eventId }: EventKey, owner: string, ms: number) {
  const listener = await keyText(listenerId)
  return [eventId, listener, asciiText(owner), milliseconds(ms)] as const
}
