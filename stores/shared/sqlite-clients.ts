import { ListenerConfigError } from '../../src/errors.ts'
import type { MaybePromise } from '../../src/lib/maybe-promise.ts'

export type SqliteValue = string | number

/** What a database of better-sqlite3, node:sqlite, libsql and bun:sqlite has in common. */
export interface SyncSqlite {
  exec(sql: string): unknown
  prepare(sql: string): { all(...values: SqliteValue[]): unknown }
}

/** A client of @libsql/client: a local file, or a server far away. */
export interface LibsqlClient {
  execute(statement: { sql: string; args: SqliteValue[] }): Promise<{ readonly rows: readonly unknown[] }>
  executeMultiple(sql: string): Promise<unknown>
  readonly protocol?: string
}

/** The same for all of them. */
export interface SqliteConnection {
  /** Every row that the statement returns, when it is complete. */
  all(sql: string, values: SqliteValue[]): MaybePromise<readonly unknown[]>
  /** Several statements, separated by semicolons. */
  run(sql: string): MaybePromise<unknown>
  /** False for a server, whose settings are not ours to judge. */
  readonly isLocal: boolean
}

const KNOWN =
  'must be an open database of better-sqlite3, node:sqlite, libsql or bun:sqlite, or a client of @libsql/client'

/** @throws ListenerConfigError for anything but the clients above; the message names them. */
export function connectSqlite(db: SyncSqlite | LibsqlClient): SqliteConnection {
  if (isLibsqlClient(db)) return libsqlConnection(db)
  if (!has(db, 'prepare') || !has(db, 'exec')) throw new ListenerConfigError('db', problemOf(db))
  const statement = anyStatement(db)
  if (has(statement, 'first')) throw new ListenerConfigError('db', D1)
  // Other drivers have the same methods, but answer with a callback or a promise.
  const isSync = statement === undefined || (has(statement, 'all') && Array.isArray(statement.all()))
  if (!isSync) throw new ListenerConfigError('db', KNOWN)
  return syncConnection(db)
}

/** Undefined when another process keeps the database locked: that is no reason not to start. */
function anyStatement(db: SyncSqlite): ReturnType<SyncSqlite['prepare']> | undefined {
  try {
    return db.prepare('SELECT 1 AS one')
  } catch {
    return undefined
  }
}

function syncConnection(db: SyncSqlite): SqliteConnection {
  const prepared = new Map<string, ReturnType<SyncSqlite['prepare']>>()
  return {
    all(sql, values) {
      let statement = prepared.get(sql)
      if (statement === undefined) {
        statement = db.prepare(sql)
        prepared.set(sql, statement)
      }
      // Never get(): it stops after the first row, and drivers then hide that the write could not be committed.
      return rowsOf(statement.all(...values))
    },
    run: (sql) => db.exec(sql),
    isLocal: true,
  }
}

function libsqlConnection(client: LibsqlClient): SqliteConnection {
  return {
    all: async (sql, args) => (await client.execute({ sql, args })).rows,
    run: (sql) => client.executeMultiple(sql),
    isLocal: client.protocol === undefined || client.protocol === 'file',
  }
}

const D1 = 'is a D1 binding; there is no store for D1 yet'
const DURABLE_OBJECT = 'is the storage of a Durable Object; there is no store for those yet'

function problemOf(db: unknown): string {
  const given: object = Object(db)
  if (Reflect.has(given, 'databaseSize') || Reflect.has(Object(Reflect.get(given, 'sql')), 'databaseSize')) {
    return DURABLE_OBJECT
  }
  if (has(given, 'all') && has(given, 'bind')) return `${KNOWN}, not a statement`
  return typeof db === 'string' ? `${KNOWN}, not the name of a file: open it yourself` : KNOWN
}

function isLibsqlClient(db: SyncSqlite | LibsqlClient): db is LibsqlClient {
  return has(db, 'execute') && has(db, 'executeMultiple')
}

function has(holder: unknown, method: string): boolean {
  return typeof Reflect.get(Object(holder), method) === 'function'
}

function rowsOf(rows: unknown): readonly unknown[] {
  if (!Array.isArray(rows)) throw new TypeError('the SQLite driver did not answer with rows')
  return rows
}
