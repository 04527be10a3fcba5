import { EventStoreError, ListenerConfigError } from '../../errors.ts'
import { memberOf } from '../../lib/member-of.ts'
import { hasMethod } from '../../lib/options.ts'
import type { StoreProblem } from '../contract.ts'
import { refuseOtherKinds } from '../kinds.ts'
import { BEGIN, inTurn, isD1, rowsOf, type SqliteConnection, type SqliteValue } from './client.ts'
import { sqliteSchema } from './statements.ts'
import { type SqliteStore, type SqliteStoreOptions, tableStore } from './table-store.ts'

export { type SqliteStore, type SqliteStoreOptions, type StoreProblem, sqliteSchema }

/** A database of better-sqlite3, node:sqlite, libsql or bun:sqlite. */
export interface SyncSqlite {
  /** Runs statements that return nothing. */
  exec(sql: string): unknown
  /** Prepares a statement. */
  prepare(sql: string): { all(...values: SqliteValue[]): unknown }
}

/** What a client of @libsql/client and its transactions have in common. */
interface LibsqlStatements {
  /** Runs one statement, and resolves with its rows. */
  execute(statement: { sql: string; args: SqliteValue[] }): Promise<{ readonly rows: readonly unknown[] }>
  /** Runs statements that return nothing. */
  executeMultiple(sql: string): Promise<unknown>
}

/**
 * A client of @libsql/client, for a local file (from version 0.18 on) or a remote server.
 */
export interface LibsqlClient extends LibsqlStatements {
  /** Opens a transaction on a connection of its own. Needed for a local file. */
  transaction?(mode: 'deferred'): Promise<LibsqlStatements & { rollback(): Promise<unknown>; close(): void }>
  /** `file`, or that of a remote server. */
  readonly protocol?: string
}

/**
 * Stores events in a SQLite table, shared by all processes that open the file. Uses the database's clock. Create the table
 * with `migrate()`, and call `sweep()` regularly. If another process holds a lock, the store retries for up to a second and
 * then throws (503). Keep `busy_timeout` at 0: SQLite's own wait blocks your process.
 *
 * @example
 * ```ts
 * import Database from 'better-sqlite3'
 *
 * const store = sqliteStore(new Database('events.db'))
 * await store.migrate()
 * ```
 *
 * @param db A database of better-sqlite3, node:sqlite, libsql or bun:sqlite, or a client of @libsql/client. Use it for
 *   the store alone: while your own transaction or iterator is open on it, the store waits, and then throws.
 * @throws ListenerConfigError for another client, and for unknown or invalid options.
 */
export function sqliteStore(db: SyncSqlite | LibsqlClient, options: SqliteStoreOptions = {}): SqliteStore {
  return tableStore('sqliteStore', () => connectSqlite(db), options)
}

const KNOWN =
  'must be an open database of better-sqlite3, node:sqlite, libsql or bun:sqlite, or a client of @libsql/client'

/** @throws ListenerConfigError for any other client. The message names the supported ones. */
function connectSqlite(db: SyncSqlite | LibsqlClient): SqliteConnection {
  refuseOtherKinds(db, 'db', 'SQLite', 'D1')
  if (isLibsqlClient(db)) return libsqlConnection(db)
  if (!hasMethod(db, 'prepare') || !hasMethod(db, 'exec')) throw new ListenerConfigError('db', problemOf(db))
  if (isD1(db)) throw new ListenerConfigError('db', D1)
  const statement = anyStatement(db)
  // Other drivers have the same methods, but take callbacks or return promises.
  const isSync = statement === undefined || (hasMethod(statement, 'all') && Array.isArray(statement.all()))
  if (!isSync) throw new ListenerConfigError('db', KNOWN)
  return syncConnection(db)
}

/** Undefined if another process has locked the database, which must not prevent startup. */
function anyStatement(db: SyncSqlite): ReturnType<SyncSqlite['prepare']> | undefined {
  try {
    return db.prepare('SELECT 1 AS one')
  } catch {
    return undefined
  }
}

function syncConnection(db: SyncSqlite): SqliteConnection {
  const prepared = new Map<string, ReturnType<SyncSqlite['prepare']>>()
  const all = (sql: string, values: SqliteValue[]) => {
    let statement = prepared.get(sql)
    if (statement === undefined) {
      statement = db.prepare(sql)
      prepared.set(sql, statement)
    }
    return rowsOf(statement.all(...values))
  }
  /** Without an await, so that nothing else runs on the connection in between. */
  const inTransaction = <Result>(begin: string, work: () => Result): Result => {
    db.exec(begin) // fails in a transaction of the user's own, which must not be rolled back
    try {
      const result = work()
      db.exec('COMMIT')
      return result
    } catch (error) {
      rollBack(db)
      throw error
    }
  }
  return {
    read: async (sql, values) => all(sql, values),
    write: async (sql, values) => inTransaction(BEGIN, () => all(sql, values)),
    // Needs the lock only if something is missing.
    run: async (statements) => inTransaction('BEGIN', () => db.exec(statements.join('\n'))),
    isLocal: true,
  }
}

/** SQLite itself ends a transaction after some failures, such as a full disk. If one stays open, the next `BEGIN` fails. */
function rollBack(db: SyncSqlite): void {
  try {
    db.exec('ROLLBACK')
  } catch {}
}

/** @throws ListenerConfigError for a client of a file that has no transactions. */
function libsqlConnection(client: LibsqlClient): SqliteConnection {
  const isLocal = client.protocol === undefined || client.protocol === 'file'
  const read: SqliteConnection['read'] = async (sql, args) =>
    rowsOf((await client.execute({ sql, args })).rows)
  const run: SqliteConnection['run'] = (statements) => client.executeMultiple(statements.join('\n'))
  // A server runs each statement as a transaction, on a connection that ends with it.
  if (!isLocal) return { read, write: read, run, isLocal }
  if (!opensTransactions(client)) throw new ListenerConfigError('db', KNOWN)
  let isRecent = false
  const checkVersion = async () => {
    if (!isRecent) await expectRecent(client)
    isRecent = true
  }
  const write: SqliteConnection['write'] = async (sql, args) => {
    await checkVersion()
    const tx = await client.transaction('deferred') // which takes no lock yet
    // All at once: others may want the connection. The client refuses the second step if it refused the first.
    const [, { rows }] = await Promise.all([
      attempt(() => tx.executeMultiple(`ROLLBACK; ${BEGIN}`)),
      attempt(() => tx.execute({ sql, args })),
      attempt(() => tx.executeMultiple('COMMIT')),
      attempt(() => tx.close()), // rolls back what is not committed
    ])
    return rowsOf(rows)
  }
  return {
    read,
    // If the client has one connection, it refuses a second transaction instead of waiting.
    write: (sql, args) => inTurn(client, () => write(sql, args)),
    run: async (statements) => {
      await inTurn(client, checkVersion)
      await run(statements)
    },
    isLocal,
  }
}

/** Runs a step now. Rejects if it throws, so that the next ones run too. */
async function attempt<Result>(step: () => Result): Promise<Awaited<Result>> {
  return await step()
}

type FileClient = LibsqlClient & Required<Pick<LibsqlClient, 'transaction'>>

function opensTransactions(client: LibsqlClient): client is FileClient {
  return hasMethod(client, 'transaction')
}

/** @throws EventStoreError for a client before 0.18, whose transactions never close their connections. */
async function expectRecent(client: FileClient): Promise<void> {
  const tx = await client.transaction('deferred')
  tx.close()
  try {
    await tx.rollback() // which only the older ones refuse by now
  } catch (cause) {
    throw new EventStoreError('a local file needs @libsql/client 0.18 or later', { cause })
  }
}

const D1 = 'is a D1 binding: pass it to d1Store of hookgate/stores/d1'
const DURABLE_OBJECT =
  'is the storage of a Durable Object: pass its namespace to durableObjectStore of hookgate/stores/durable-object'

function problemOf(db: unknown): string {
  if ([db, memberOf(db, 'sql')].some((holder) => memberOf(holder, 'databaseSize') !== undefined)) {
    return DURABLE_OBJECT
  }
  if (hasMethod(db, 'all') && hasMethod(db, 'bind')) return `${KNOWN}, not a statement`
  return typeof db === 'string' ? `${KNOWN}, not the name of a file: open it yourself` : KNOWN
}

function isLibsqlClient(db: SyncSqlite | LibsqlClient): db is LibsqlClient {
  return hasMethod(db, 'execute') && hasMethod(db, 'executeMultiple')
}
