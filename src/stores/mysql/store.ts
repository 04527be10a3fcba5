import { sha256 } from '#crypto'
import { EventStoreError } from '../../errors.ts'
import { storedKey } from '../../event-key.ts'
import type { ClaimAnswer, CommitAnswer, CommitIn, EventKey, EventStore } from '../../event-store.ts'
import { inTransaction } from '../../joining.ts'
import { encodeHex, encodeUtf8 } from '../../lib/bytes.ts'
import { checkedElsewhere, checkOptions, type OptionTable, positiveInteger } from '../../lib/options.ts'
import { answersAmong, MYSQL } from '../answer.ts'
import {
  type CheckOptions,
  type EngineVerbs,
  type StoreProblem,
  storedText,
  storeOf,
  tableMissing,
  undisturbed,
} from '../contract.ts'
import { SQL_FIXES } from '../fixes.ts'
import { refuseOtherServers } from '../kinds.ts'
import { problemsOf, shapeOf, unlike } from './check.ts'
import {
  affectedRowsOf,
  ERRORS,
  insertIdOf,
  isServerError,
  type MysqlClient,
  type RunStatement,
  statementRunner,
  textsIn,
} from './client.ts'
import { commitInside, type InsideAnswer } from './inside.ts'
import {
  AUTOCOMMIT_OFF,
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
  waitingFor,
} from './statements.ts'

export type { CheckOptions, StoreProblem } from '../contract.ts'
export type { MysqlClient } from './client.ts'
export { mysqlSchema } from './statements.ts'

/** The options of `mysqlStore`. */
export interface MysqlStoreOptions {
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
  /**
   * Lists problems of the server, the table, this user, who else may write to it, and the client. Empty if there are none. Changes
   * nothing. Sees what others may do only if this user has `SELECT` on the database `mysql`.
   *
   * @throws ListenerConfigError for unknown or invalid options.
   */
  check(options?: CheckOptions): Promise<readonly StoreProblem[]>
}

const OPTIONS: OptionTable<MysqlStoreOptions> = { table: checkedElsewhere }

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
  const { table = DEFAULT_TABLE } = options
  const run = statementRunner(client, 'client')
  const statements = statementsFor(table)
  const retrying = retryingDeadlocks(run)
  const verbs = { ...verbsOf(waitingBriefly(retrying), statements), renew: renewal(retrying, statements) }
  return {
    ...storeOf(verbs, SQL_FIXES),
    commitIn: committingInside(statements),
    check: async (given = {}) => problemsOf(explained(run), client, table, given),
    async migrate() {
      const asked = explained(run)
      await asked(mysqlSchema(table), [])
      const shape = await shapeOf(asked, table)
      if (shape.engine === undefined) {
        throw new EventStoreError(
          `migrate() has run, but the table ${table} is not there: the client has to run each statement, on the primary`,
        )
      }
      for (const { problem, fix } of unlike(shape))
        throw new EventStoreError(`migrate() cannot make the table ${table}: ${problem}. Mend it: ${fix}`)
    },
    async sweep(limit = 10_000) {
      positiveInteger(limit, 'limit')
      return sweep(waitingBriefly(retrying), statements, limit)
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
const INSIDE_ANSWERS: ReadonlyMap<number, InsideAnswer> = new Map([
  [FOUND, 'committed'],
  [0, 'not found'],
  [AUTOCOMMIT_OFF, 'autocommit off'],
])
const FOUND_ANSWERS: ReadonlyMap<number, boolean> = new Map([
  [FOUND, true],
  [0, false],
])
/** The verbs, each one statement. */
function verbsOf(run: RunStatement, { claim, commit, release }: Statements) {
  return {
    async claim(key, owner, ms) {
      const asked = ask(run, claim, await valuesOf(key, owner, ms), CLAIM_ANSWERS)
      return unlessLocked(asked, 'busy') // a transaction is about to commit the event
    },
    commit: async (key, owner, ms) => ask(run, commit, await valuesOf(key, owner, ms), COMMIT_ANSWERS),
    release: async (key, owner) => ask(run, release, await valuesOf(key, owner, 0), FOUND_ANSWERS),
  } satisfies Partial<EngineVerbs>
}

function committingInside({ commitIn }: Statements): CommitIn {
  return inTransaction(async (tx, key, owner, ms) => {
    const values = await valuesOf(await storedKey(key), owner, ms)
    const mark = `hookgate_${(await sha256(values.owner, 'hex')).slice(0, 40)}` // at most 64 characters
    const commit = (run: RunStatement) =>
      ask(waitingBriefly(explained(run)), commitIn, values, INSIDE_ANSWERS)
    return commitInside(tx, mark, commit)
  })
}

/** Does not wait for a transaction that has locked the record. */
function renewal(run: RunStatement, { renew }: Statements): EngineVerbs['renew'] {
  const atOnce: RunStatement = (text, values) => run(waitingFor(0, text), values)
  return async (key, owner, ms) =>
    unlessLocked(ask(atOnce, renew, await valuesOf(key, owner, ms), FOUND_ANSWERS), 'locked')
}

/** The answer, or `locked` if another transaction has locked the record. */
async function unlessLocked<Answer, Locked>(
  asked: Promise<Answer>,
  locked: Locked,
): Promise<Answer | Locked> {
  try {
    return await asked
  } catch (error) {
    if (isServerError(error, ERRORS.LOCK_WAIT_TIMEOUT)) return locked
    throw error
  }
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
    const keys = answersAmong(textsIn(await run(statements.expired(most), [])), MYSQL).map((key) =>
      key.split('/'),
    )
    if (keys.length === 0) break
    swept += affectedRowsOf(await run(statements.sweep(keys.length), keys.flat())) ?? keys.length
    if (keys.length < most) break
  }
  return swept
}

/** Outside transactions, a statement that the server has undone can be sent again. */
function retryingDeadlocks(run: RunStatement): RunStatement {
  const explainedRun = explained(run)
  const isUndone = (error: unknown) => isServerError(error, ERRORS.DEADLOCK, ERRORS.CHECKREAD)
  return (text, values) => undisturbed(() => explainedRun(text, values), isUndone)
}

function waitingBriefly(run: RunStatement): RunStatement {
  return (text, values) => run(waitingFor(1, text), values)
}

function explained(run: RunStatement): RunStatement {
  return async (text, values) => {
    try {
      return await run(text, values)
    } catch (error) {
      if (isServerError(error, ERRORS.NO_SUCH_TABLE)) throw tableMissing(error)
      refuseOtherServers(error, 'MySQL')
      throw error
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
  const hexOf = async (text: string) => encodeHex(encodeUtf8(await storedText(text, LONGEST_TEXT)))
  return {
    eventId: eventId.replaceAll('-', ''),
    listenerId: await hexOf(listenerId),
    owner: await hexOf(owner),
    microseconds: `${Math.ceil(Math.min(milliseconds * 1000, LONGEST_US))}`,
  }
}
