import { EventStoreError, ListenerConfigError } from '../src/errors.ts'
import type { ClaimAnswer, CommitAnswer, EventKey, EventStore } from '../src/event-store.ts'
import { type MaybePromise, whenKnown } from '../src/lib/maybe-promise.ts'
import {
  checkOptions,
  type OptionTable,
  oneOfWords,
  optional,
  positiveInteger,
  positiveSeconds,
} from '../src/lib/options.ts'
import { RETENTION_SECONDS } from '../src/limits.ts'
import { checkSqlite } from './shared/sqlite-check.ts'
import {
  connectSqlite,
  type LibsqlClient,
  type SqliteConnection,
  type SyncSqlite,
} from './shared/sqlite-clients.ts'
import {
  SQLITE_TABLE,
  type SqliteStatements,
  sqliteSchema,
  sqliteStatements,
  tableName,
} from './shared/sqlite-statements.ts'
import type { StoreProblem } from './shared/store-problem.ts'

export { type LibsqlClient, type StoreProblem, type SyncSqlite, sqliteSchema }

/** The options of `sqliteStore`. */
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
   * milliseconds), and tells how many. Without it the file only grows. Run it every few seconds or minutes.
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
 * Remembers events in a table of SQLite, for all processes that open the file, judged by the database's clock. Create
 * it with `migrate()`, empty it with `sweep()`. A database that another process keeps locked makes a verb throw (503).
 *
 * @param db Of better-sqlite3, node:sqlite, libsql or bun:sqlite, or a client of @libsql/client. It should not be one
 *   on which your own transactions run: what is claimed in the midst of one is rolled back with it.
 * @throws ListenerConfigError for another client, and for options that are unknown or wrong.
 */
export function sqliteStore(db: SyncSqlite | LibsqlClient, options: SqliteStoreOptions = {}): SqliteStore {
  checkOptions('sqliteStore', options, OPTIONS)
  const { table = SQLITE_TABLE, mode = 'two-phase', retentionSeconds = RETENTION_SECONDS } = options
  if (mode !== 'single' && options.retentionSeconds !== undefined) {
    throw new ListenerConfigError('retentionSeconds', "belongs to mode 'single'; give it to defineListener")
  }
  const connection = connectSqlite(db)
  const ask = asker(connection)
  const statements = sqliteStatements(table)
  const verbs = mode === 'single' ? singlePhase(ask, statements, retentionSeconds) : twoPhase(ask, statements)
  return {
    ...verbs,
    async migrate() {
      await connection.run(sqliteSchema(table))
    },
    async sweep(limit = 1000) {
      positiveInteger(limit, 'limit')
      return (await ask(statements.sweep, [limit])).length
    },
    check: () => checkSqlite(connection, table),
  }
}

type Ask = SqliteConnection['all']

/** A lease while the work runs, then done. */
function twoPhase(ask: Ask, { claim, commit, release }: SqliteStatements): EventStore {
  return {
    claim: ({ listenerId, eventId }, owner, leaseMs) =>
      whenKnown(ask(claim, [listenerId, eventId, owner, 0, leaseMs, owner, 0]), answerOf<ClaimAnswer>),
    commit: ({ listenerId, eventId }, owner, retentionMs) =>
      whenKnown(ask(commit, [listenerId, eventId, owner, retentionMs]), answerOf<CommitAnswer>),
    release: ({ listenerId, eventId }: EventKey, owner) =>
      whenKnown(ask(release, [listenerId, eventId, owner]), (rows) => rows.length > 0),
  }
}

/** Done with the claim: a commit has nothing to add, a release nothing to give back. */
function singlePhase(ask: Ask, { claim }: SqliteStatements, retentionSeconds: number): EventStore {
  const retentionMs = retentionSeconds * 1000
  return {
    replayWindowSeconds: retentionSeconds,
    claim: ({ listenerId, eventId }, owner) =>
      whenKnown(ask(claim, [listenerId, eventId, owner, 1, retentionMs, owner, 1]), answerOf<ClaimAnswer>),
    commit: () => 'committed',
    release: () => false,
  }
}

/** The statement's answer. A cast, because the statement says one of these words, and the core asks again. */
function answerOf<Answer>(rows: readonly unknown[]): Answer {
  return Reflect.get(Object(rows[0]), 'answer') as Answer
}

function asker(connection: SqliteConnection): Ask {
  const explain = (cause: unknown): never => {
    if (!/no such table/.test(String(cause))) throw cause
    throw new EventStoreError('the table of events is not there: run `await store.migrate()` once', { cause })
  }
  return (sql, values): MaybePromise<readonly unknown[]> => {
    try {
      const rows = connection.all(sql, values)
      return rows instanceof Promise ? rows.catch(explain) : rows
    } catch (error) {
      return explain(error)
    }
  }
}
