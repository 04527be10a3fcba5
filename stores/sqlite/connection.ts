import { textOf } from '../../src/lib/member-of.ts'
import { hasMethod } from '../../src/lib/options.ts'

export type SqliteValue = string | number

/** One interface for all SQLite clients. */
export interface SqliteConnection {
  /** Runs a statement to completion and returns all rows. */
  all(sql: string, values: SqliteValue[]): Promise<readonly unknown[]>
  /** Runs statements without values, in order. */
  run(statements: readonly string[]): Promise<unknown>
  /** False for a remote server, whose settings are not checked. */
  readonly isLocal: boolean
}

/** @throws TypeError if the driver did not return an array. */
export function rowsOf(rows: unknown): readonly unknown[] {
  if (!Array.isArray(rows)) throw new TypeError('the SQLite driver did not return rows')
  return rows
}

/** Whether this is a D1 binding. D1 statements have a `first`; those of better-sqlite3 have a `bind`, but no `first`. */
export function isD1(client: unknown): boolean {
  // Service and Durable Object stubs have `fetch`. They pretend to have every method, and each call is a request.
  if (!hasMethod(client, 'prepare') || !hasMethod(client, 'batch') || hasMethod(client, 'fetch')) return false
  const statement: unknown = Reflect.apply(Reflect.get(Object(client), 'prepare'), client, ['SELECT 1'])
  return hasMethod(statement, 'first') && hasMethod(statement, 'bind')
}

/** How long to retry while the database is locked: half of the default `storeTimeoutSeconds`. */
const LONGEST_MS = 1000
/** Pause between two attempts, shared by all waiters. */
const PAUSE_MS = 5

/**
 * Wraps a connection to retry while another process holds a lock. SQLite's own wait (`busy_timeout`) blocks the thread, and
 * with it the whole process.
 */
export function retryingWhenLocked(connection: SqliteConnection): SqliteConnection {
  /** Set for a moment after the database was found locked. */
  let pause: Promise<void> | undefined
  /** A busy statement is safe to retry, because it changed nothing. */
  const retry = async <T>(work: () => Promise<T>): Promise<T> => {
    const until = performance.now() + LONGEST_MS
    for (;;) {
      while (pause !== undefined && performance.now() < until) await pause
      try {
        return await work()
      } catch (error) {
        if (!isBusy(error) || performance.now() >= until) throw error
        pause ??= new Promise((resolve) => setTimeout(resolve, PAUSE_MS)).then(() => {
          pause = undefined
        })
      }
    }
  }
  return {
    all: (sql, values) => retry(() => connection.all(sql, values)),
    run: (statements) => retry(() => connection.run(statements)),
    isLocal: connection.isLocal,
  }
}

/** Matches SQLITE_BUSY and its extended codes, in `code` or the message, depending on the driver. */
export function isBusy(error: unknown): boolean {
  return /SQLITE_BUSY|database is locked/.test(`${textOf(error, 'code')} ${textOf(error, 'message')}`)
}
