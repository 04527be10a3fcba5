import { EventStoreError } from '../../errors.ts'
import type { ClaimAnswer, CommitAnswer, EventStore } from '../../event-store.ts'
import { memberOf } from '../../lib/member-of.ts'
import { checkOptions, type OptionTable, optional, positiveInteger } from '../../lib/options.ts'
import {
  type EngineVerbs,
  MODE_OPTIONS,
  type ModeOptions,
  type StoreProblem,
  singleSeconds,
  storeOf,
  tableMissing,
} from '../contract.ts'
import { checkSqlite } from './check.ts'
import { isYours, retryingWhenLocked, type SqliteConnection, says } from './client.ts'
import { SQLITE_TABLE, schemaStatements, sqliteStatements, tableName } from './statements.ts'

/** The options of `sqliteStore`. */
export interface SqliteStoreOptions extends ModeOptions {
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

const OPTIONS: OptionTable<SqliteStoreOptions> = {
  table: optional(tableName),
  ...MODE_OPTIONS,
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
  const { table = SQLITE_TABLE } = options
  const seconds = singleSeconds(options)
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
    async claim({ listenerId, eventId }, owner, ms, done) {
      const commits = done ? 1 : 0
      const values = [listenerId, eventId, owner, commits, ms, owner, commits]
      return answerOf<ClaimAnswer>(await ask(statements.claim, values))
    },
    async commit({ listenerId, eventId }, owner, ms) {
      return answerOf<CommitAnswer>(await ask(statements.commit, [listenerId, eventId, owner, ms]))
    },
    async release({ listenerId, eventId }, owner) {
      return (await ask(statements.release, [listenerId, eventId, owner])).length > 0
    },
    async renew({ listenerId, eventId }, owner, ms) {
      return (await ask(statements.renew, [ms, listenerId, eventId, owner])).length > 0
    },
  }
  return {
    ...storeOf(verbs, seconds),
    async migrate() {
      await explained(connection.run(schemaStatements(table)))
    },
    async sweep(limit = 1000) {
      positiveInteger(limit, 'limit')
      return (await ask(statements.sweep, [limit])).length
    },
    check: () => checkSqlite(connection, table),
  }
}

/** Cast: the statement returns only these words, and the core checks them again. */
function answerOf<Answer>(rows: readonly unknown[]): Answer {
  return memberOf(rows[0], 'answer') as Answer
}
