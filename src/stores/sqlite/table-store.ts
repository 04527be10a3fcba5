import { EventStoreError } from '../../errors.ts'
import { CLAIM_ANSWERS, COMMIT_ANSWERS, type EventStore } from '../../event-store.ts'
import { checkOptions, type OptionTable, optional, positiveInteger } from '../../lib/options.ts'
import { answerIn, SQLITE } from '../answer.ts'
import { type EngineVerbs, knownAnswer, type StoreProblem, storeOf, tableMissing } from '../contract.ts'
import { SQLITE_FIXES } from '../fixes.ts'
import { checkSqlite, indexOf, namesOf, UNKEYED } from './check.ts'
import { isYours, retryingWhenLocked, type SqliteConnection, says } from './client.ts'
import { KEY, SQLITE_TABLE, schemaStatements, sqliteStatements, tableName } from './statements.ts'

/** The options of `sqliteStore`. */
export interface SqliteStoreOptions {
  /** Letters, digits and underscores. Defaults to `hookgate_events`. */
  readonly table?: string | undefined
}

/**
 * The store, with methods for setup and maintenance.
 *
 * @example
 * ```ts
 * const store: SqliteStore = sqliteStore(db)
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

const YOURS =
  'your own transaction or statement is open on the connection of the store: give the store a connection of its own'

const OPTIONS: OptionTable<SqliteStoreOptions> = { table: optional(tableName) }

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
  const { table = SQLITE_TABLE } = options
  const given = connect()
  const connection = given.isLocal ? retryingWhenLocked(given) : given
  const explained = async <Result>(asked: Promise<Result>): Promise<Result> => {
    try {
      return await asked
    } catch (cause) {
      if (isYours(cause)) throw new EventStoreError(YOURS, { cause })
      throw says(cause, /no such table/) ? tableMissing(cause) : cause
    }
  }
  const ask: SqliteConnection['write'] = (sql, values) => explained(connection.write(sql, values))
  const statements = sqliteStatements(table)
  const verbs: EngineVerbs = {
    async claim({ listenerId, eventId }, owner, ms) {
      const rows = await ask(statements.claim, [listenerId, eventId, owner, ms, owner])
      return knownAnswer('SQLite', CLAIM_ANSWERS, answerIn(rows, SQLITE))
    },
    async commit({ listenerId, eventId }, owner, ms) {
      const rows = await ask(statements.commit, [listenerId, eventId, owner, ms])
      return knownAnswer('SQLite', COMMIT_ANSWERS, answerIn(rows, SQLITE))
    },
    async release({ listenerId, eventId }, owner) {
      return has(await ask(statements.release, [listenerId, eventId, owner]), 'released')
    },
    async renew({ listenerId, eventId }, owner, ms) {
      return has(await ask(statements.renew, [ms, listenerId, eventId, owner]), 'renewed')
    },
  }
  return {
    ...storeOf(verbs, SQLITE_FIXES),
    async migrate() {
      await explained(connection.run(schemaStatements(table)))
      const names = await explained(namesOf(connection, table))
      if (!names.includes(table))
        throw new EventStoreError(`migrate() has run, but the table ${table} is not there`)
      if (!names.includes(KEY)) {
        throw new EventStoreError(
          `migrate() cannot make the table ${table}: ${UNKEYED.problem}. Mend it: ${UNKEYED.fix}`,
        )
      }
      if (!names.includes(indexOf(table))) {
        throw new EventStoreError(
          `migrate() cannot index the table ${table}, because another table has the index ${indexOf(table)}: drop that one, and run it again`,
        )
      }
    },
    async sweep(limit = 1000) {
      positiveInteger(limit, 'limit')
      return (await ask(statements.sweep, [limit])).length
    },
    check: () => checkSqlite(connection, table),
  }
}

/** Whether a statement found its record. It returns no row otherwise, but a client that loses rows has had no claim. */
function has(rows: readonly unknown[], answer: string): boolean {
  return rows.length > 0 && knownAnswer('SQLite', [answer], answerIn(rows, SQLITE)) === answer
}
