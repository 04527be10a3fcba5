import { EventStoreError } from '../../errors.ts'
import type { ClaimAnswer, CommitAnswer, EventKey, EventStore } from '../../event-store.ts'
import { checkedElsewhere, checkOptions, type OptionTable, positiveInteger } from '../../lib/options.ts'
import {
  type EngineVerbs,
  INSIDE_TRANSACTIONS,
  MODE_OPTIONS,
  type ModeOptions,
  type StoreProblem,
  singleSeconds,
  storedText,
  storeOf,
  tableMissing,
} from '../contract.ts'
import { problemsOf } from './check.ts'
import {
  affectedRowsOf,
  checkTransaction,
  ERRORS,
  insertIdOf,
  isServerError,
  type MysqlClient,
  type RunStatement,
  statementRunner,
  textsIn,
} from './client.ts'
import {
  DEFAULT_TABLE,
  DONE,
  FOUND,
  FREE,
  LEASED,
  LONGEST_TEXT,
  mysqlSchema,
  type Statement,
  type Statements,
  statementsFor,
  type Values,
} from './statements.ts'

export type { StoreProblem } from '../contract.ts'
export type { MysqlClient } from './client.ts'
export { mysqlSchema } from './statements.ts'

/** The options of `mysqlStore`. */
export interface MysqlStoreOptions extends ModeOptions {
  /** `name` or `database.name`, of letters, digits and underscores. Defaults to `hookgate_events`. */
  readonly table?: string | undefined
}

/**
 * The store, with methods for setup and maintenance.
 *
 * @example
 * ```ts
 * const store: MysqlStore = mysqlStore(pool)
 * await store.migrate()
 * setInterval(() => store.sweep().catch(console.error), 300_000)
 * ```
 */
export interface MysqlStore extends EventStore {
  /** Creates the table if it is missing. Safe to run concurrently. */
  migrate(): Promise<void>
  /**
   * Deletes up to `limit` expired records (default 10,000), oldest first, and returns their number. Run it every few minutes; without
   * it the table only grows.
   */
  sweep(limit?: number): Promise<number>
  /** Lists problems of the server, the table, this user and the client. Empty if there are none. */
  check(): Promise<readonly StoreProblem[]>
  /**
   * Returns the same store inside your transaction. The event's record and your own writes commit together or not at all, so
   * the event takes effect exactly once. Other claims of the event wait for the transaction; bound that wait with
   * `SET SESSION innodb_lock_wait_timeout`. Claim with a new owner each time, and roll back unless you get `acquired`.
   *
   * Commit outside nested transactions: the store has a savepoint of its own, `hookgate`. A commit throws if the transaction of its claim
   * has ended, also if a deadlock did that and its error was ignored.
   *
   * @param tx The connection of an open transaction.
   * @throws ListenerConfigError for a pool, because its statements may run on several connections.
   */
  with(tx: MysqlClient): EventStore
}

const OPTIONS: OptionTable<MysqlStoreOptions> = {
  table: checkedElsewhere,
  ...MODE_OPTIONS,
}

/** Records that one statement of `sweep()` deletes: MariaDB scans the table for a list of a thousand keys or more. */
const SWEPT_AT_ONCE = 500

/**
 * Stores events in a table of MariaDB or MySQL (InnoDB), by the server's clock. Create the table with `migrate()`, and call `sweep()`
 * regularly.
 *
 * @example
 * ```ts
 * import mysql from 'mysql2/promise'
 *
 * const store = mysqlStore(mysql.createPool(process.env.DATABASE_URL ?? ''))
 * await store.migrate()
 * ```
 *
 * @param client A pool or connection of mysql2/promise or mariadb, or an object that sends statements through an ORM.
 * @throws ListenerConfigError for another client, and for unknown or invalid options.
 */
export function mysqlStore(client: MysqlClient, options: MysqlStoreOptions = {}): MysqlStore {
  checkOptions('mysqlStore', options, OPTIONS)
  const { table = DEFAULT_TABLE, mode = 'two-phase' } = options
  const run = statementRunner(client, 'client')
  const statements = statementsFor(table, mode)
  const seconds = singleSeconds(options)
  const retrying = retryingDeadlocks(run)
  return {
    ...storeOf(verbsOf(retrying, statements), seconds),
    check: () => problemsOf(run, client, table),
    async migrate() {
      await run(mysqlSchema(table), [])
    },
    async sweep(limit = 10_000) {
      positiveInteger(limit, 'limit')
      return sweep(retrying, statements, limit)
    },
    with(tx) {
      const runInTx = statementRunner(tx, 'tx')
      checkTransaction(tx)
      const storeInTx = insideTransaction(explained(runInTx), statements, seconds)
      INSIDE_TRANSACTIONS.add(storeInTx)
      return storeInTx
    },
  }
}

const CLAIM_ANSWERS: ReadonlyMap<number, ClaimAnswer> = new Map([
  [FREE, 'acquired'],
  [DONE, 'done'],
  [LEASED, 'busy'],
])
const COMMIT_ANSWERS: ReadonlyMap<number, CommitAnswer> = new Map([
  [FREE, 'committed'],
  [DONE, 'already'],
  [LEASED, 'lost'],
])
const FOUND_ANSWERS: ReadonlyMap<number, boolean> = new Map([
  [FOUND, true],
  [0, false],
])
/** The verbs, each one statement. */
function verbsOf(run: RunStatement, { claim, commit, release, renew }: Statements) {
  return {
    claim: async (key, owner, ms) => ask(run, claim, await valuesOf(key, owner, ms), CLAIM_ANSWERS),
    commit: async (key, owner, ms) => ask(run, commit, await valuesOf(key, owner, ms), COMMIT_ANSWERS),
    release: async (key, owner) => ask(run, release, await valuesOf(key, owner, 0), FOUND_ANSWERS),
    renew: async (key, owner, ms) => ask(run, renew, await valuesOf(key, owner, ms), FOUND_ANSWERS),
  } satisfies EngineVerbs
}

/** The savepoint that a claim sets. It exists until the transaction ends, and never outside one. */
const SAVEPOINT = 'hookgate'

/**
 * The verbs in the caller's transaction, which the server may already have rolled back: after a deadlock, later statements commit by
 * themselves. So a commit needs the transaction of its claim, by its savepoint, and what the claim has left in it.
 */
function insideTransaction(
  run: RunStatement,
  statements: Statements,
  seconds: number | undefined,
): EventStore {
  const { claim, release } = verbsOf(run, statements)
  const expectOpen = async () => {
    try {
      await run(`RELEASE SAVEPOINT ${SAVEPOINT}`, [])
    } catch (cause) {
      if (!isServerError(cause, ERRORS.NO_SUCH_SAVEPOINT)) throw cause
      throw new EventStoreError(
        'the transaction of the claim has ended, by a deadlock or by hand, or `tx` is no transaction: roll back, and let the event run again',
        { cause },
      )
    }
    await run(`SAVEPOINT ${SAVEPOINT}`, []) // for another event of the transaction
  }
  const verbs: EngineVerbs = {
    async claim(key, owner, ms) {
      const answer = await claim(key, owner, ms)
      if (answer === 'acquired') await run(`SAVEPOINT ${SAVEPOINT}`, [])
      return answer
    },
    async commit(key, owner, ms) {
      await expectOpen()
      if (await ask(run, statements.commitInside, await valuesOf(key, owner, ms), FOUND_ANSWERS))
        return 'committed'
      // Not `lost`, which may be ignored: what the claim's own transaction wrote is gone.
      throw new EventStoreError(
        'this transaction has not claimed the event, or has committed it before: roll back, and let the event run again',
      )
    },
    release,
    renew: undefined, // the transaction keeps the event
  }
  // Also in mode `single`: the savepoint may be that of another event, in a later transaction.
  return { ...storeOf(verbs, seconds), commit: storeOf(verbs, undefined).commit }
}

/** @throws EventStoreError for any other insert ID, e.g. of a client that replaces it. */
async function ask<Answer>(
  run: RunStatement,
  { text, values }: Statement,
  given: Values,
  answers: ReadonlyMap<number, Answer>,
): Promise<Answer> {
  const id = insertIdOf(await run(text, values(given)))
  const answer = answers.get(id)
  if (answer !== undefined) return answer
  throw new EventStoreError(
    `MySQL returned the insert ID ${id}, not one of ${[...answers.keys()].join(', ')}`,
  )
}

async function sweep(run: RunStatement, statements: Statements, limit: number): Promise<number> {
  let swept = 0
  for (let left = limit; left > 0; left -= SWEPT_AT_ONCE) {
    const most = Math.min(left, SWEPT_AT_ONCE)
    const texts = textsIn(await run(statements.expired(most), []))
    const keys = texts.filter((text) => /^[0-9A-F]{32}\/[0-9A-F]*$/.test(text)).map((text) => text.split('/'))
    if (keys.length === 0) break
    swept += affectedRowsOf(await run(statements.sweep(keys.length), keys.flat())) ?? keys.length
    if (keys.length < most) break
  }
  return swept
}

/** Maximum attempts while other statements keep getting in the way. */
const MOST_ATTEMPTS = 5

/** Outside transactions, a statement that the server has undone can be sent again. */
function retryingDeadlocks(run: RunStatement): RunStatement {
  const explainedRun = explained(run)
  return async (text, values) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await explainedRun(text, values)
      } catch (error) {
        const isUndone = isServerError(error, ERRORS.DEADLOCK, ERRORS.CHECKREAD)
        if (!isUndone || attempt === MOST_ATTEMPTS) throw error
      }
    }
  }
}

function explained(run: RunStatement): RunStatement {
  return async (text, values) => {
    try {
      return await run(text, values)
    } catch (error) {
      throw isServerError(error, ERRORS.NO_SUCH_TABLE) ? tableMissing(error) : error
    }
  }
}

/** A thousand years, well within the range of DATETIME. */
const LONGEST_US = 365_250 * 86_400_000_000

async function valuesOf(
  { listenerId, eventId }: EventKey,
  owner: string,
  milliseconds: number,
): Promise<Values> {
  const [listener, ownerText] = await Promise.all(
    [listenerId, owner].map((text) => storedText(text, LONGEST_TEXT)),
  )
  return {
    eventId: eventId.replaceAll('-', ''),
    listenerId: hexOf(listener ?? ''),
    owner: hexOf(ownerText ?? ''),
    microseconds: `${Math.ceil(Math.min(milliseconds * 1000, LONGEST_US))}`,
  }
}

function hexOf(ascii: string): string {
  return Array.from(ascii, (letter) => letter.charCodeAt(0).toString(16).padStart(2, '0')).join('')
}
