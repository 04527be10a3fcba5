import type { MaybePromise } from '../../src/lib/maybe-promise.ts'

export type SqliteValue = string | number

/** The same for all clients of SQLite. */
export interface SqliteConnection {
  /** Every row that the statement returns, when it is complete. */
  all(sql: string, values: SqliteValue[]): MaybePromise<readonly unknown[]>
  /** Statements without values, in their order. */
  run(statements: readonly string[]): MaybePromise<unknown>
  /** False for a server, whose settings are not ours to judge. */
  readonly isLocal: boolean
}

/** @throws TypeError for anything but rows. */
export function rowsOf(rows: unknown): readonly unknown[] {
  if (!Array.isArray(rows)) throw new TypeError('the SQLite driver did not answer with rows')
  return rows
}

export function hasMethod(holder: unknown, method: string): boolean {
  return typeof Reflect.get(Object(holder), method) === 'function'
}
