import { EventStoreError } from '../../errors.ts'
import { withDeadline } from '../../lib/clock.ts'
import { textOf } from '../../lib/member-of.ts'
import { hasMethod } from '../../lib/options.ts'

export type SqliteValue = string | number

/** One interface for all SQLite clients. */
export interface SqliteConnection {
  /** Runs a statement that changes nothing, and returns all rows. */
  read(sql: string, values: SqliteValue[]): Promise<readonly unknown[]>
  /**
   * Runs a statement that writes, as a transaction of its own, and returns all rows. If it fails, it has changed nothing, and leaves
   * nothing behind on the connection.
   */
  write(sql: string, values: SqliteValue[]): Promise<readonly unknown[]>
  /** Runs statements without values, in order. */
  run(statements: readonly string[]): Promise<unknown>
  /** False for a remote server, whose settings are not checked. */
  readonly isLocal: boolean
}

/**
 * Takes the write lock before a statement runs. libsql keeps a statement that was refused the lock unfinished, and SQLite commits
 * nothing on a connection with an unfinished write, although later statements return their rows. Run it by the driver's `exec`,
 * which finishes what it refuses.
 */
export const BEGIN = 'BEGIN IMMEDIATE'

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
  /** A write that fails has changed nothing, so it is safe to retry. */
  const retry = async <T>(work: () => Promise<T>): Promise<T> => {
    const until = performance.now() + LONGEST_MS
    for (;;) {
      while (pause !== undefined && performance.now() < until) await pause
      try {
        return await work()
      } catch (error) {
        if (!(isBusy(error) || isYours(error)) || performance.now() >= until) throw error
        pause ??= new Promise((resolve) => setTimeout(resolve, PAUSE_MS)).then(() => {
          pause = undefined
        })
      }
    }
  }
  return {
    read: (sql, values) => retry(() => connection.read(sql, values)),
    write: (sql, values) => retry(() => connection.write(sql, values)),
    run: (statements) => retry(() => connection.run(statements)),
    isLocal: connection.isLocal,
  }
}

/** Whether an error's code or message, depending on the driver, matches. */
export function says(error: unknown, pattern: RegExp): boolean {
  return pattern.test(`${textOf(error, 'code')} ${textOf(error, 'message')}`)
}

/** Whether another connection holds the lock: SQLITE_BUSY and its extended codes. */
export function isBusy(error: unknown): boolean {
  return says(error, /SQLITE_BUSY|database is locked/)
}

/** Whether the user's own code has a transaction, an iterator or an unfinished write open on the store's connection. */
export function isYours(error: unknown): boolean {
  return says(error, /TRANSACTION_ACTIVE|within a transaction|statements in progress|busy executing a query/)
}

/** The default of `storeTimeoutSeconds`: by then, the caller has given up. */
const GIVEN_UP_MS = 2000

/** Per client: resolves when its latest work has ended, with whether it had to give way. Never rejects. */
const ends = new WeakMap<object, Promise<boolean>>()

/**
 * Runs one piece of work at a time per client. Work that does not end gives way to the next once its caller has given up. Work
 * that has waited that long is never started, so that no queue builds up.
 */
export function inTurn<T>(client: object, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + GIVEN_UP_MS
  let late: EventStoreError | undefined
  const giveUp = () => {
    late = new EventStoreError('an earlier call of the SQLite client did not end')
    return late
  }
  const before = ends.get(client) ?? Promise.resolve(false)
  const turn = before.then((isStuck) => {
    if (isStuck && performance.now() >= until) throw giveUp()
    return work()
  })
  const end = before.then(() => withDeadline(turn, GIVEN_UP_MS, giveUp))
  ends.set(
    client,
    end.then(
      () => false,
      () => late !== undefined,
    ),
  )
  return turn
}
