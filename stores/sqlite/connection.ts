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
