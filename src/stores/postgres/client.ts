import { EventStoreError, ListenerConfigError } from '../../errors.ts'
import { memberOf } from '../../lib/member-of.ts'
import { hasMethod } from '../../lib/options.ts'

/**
 * Clients with `query(text, values)`: pg's Pool, Client and PoolClient, PGlite, its transactions, neon(), neon's Pool.
 */
export interface PostgresQueryClient {
  query(text: string, values: string[]): PromiseLike<unknown>
}

/** Clients with `unsafe(text, values)`: postgres.js and Bun.SQL, and the transactions that their `begin` passes. */
export interface PostgresUnsafeClient {
  unsafe(text: string, values: string[]): PromiseLike<unknown>
}

/** The clients that `postgresStore` accepts: pg, PGlite and neon by `query`; postgres.js and Bun's SQL by `unsafe`. */
export type PostgresClient = PostgresQueryClient | PostgresUnsafeClient

/** A row of any client. All columns used here are text. */
export type Row = Readonly<Record<string, unknown>>

/** Runs one statement and returns its rows. All values are strings, which every client sends the same way. */
export type RunStatement = (text: string, values: readonly string[]) => Promise<readonly Row[]>

/** @throws ListenerConfigError for anything that is not a Postgres client. */
export function statementRunner(client: PostgresClient, option: string): RunStatement {
  // `query` first, because the `unsafe` of neon() runs nothing.
  const name = ['query', 'unsafe'].find((method) => hasMethod(client, method))
  if (name === undefined) {
    throw new ListenerConfigError(
      option,
      'is not a known Postgres client: pass a Pool, Client or PoolClient of pg, a postgres.js or Bun SQL, ' +
        'a PGlite, neon() or a neon Pool',
    )
  }
  const call = Reflect.get(client, name)
  return async (text, values) => {
    const result: unknown = await Reflect.apply(call, client, [text, [...values]])
    // Some clients return the rows, others an object with `rows`.
    const rows = Array.isArray(result) ? result : memberOf(result, 'rows')
    if (Array.isArray(rows)) return rows
    throw new EventStoreError('the Postgres client returned something other than rows')
  }
}

/** @throws ListenerConfigError for a client that may run each statement on another connection. */
export function checkTransaction(tx: unknown): void {
  const has = (method: string) => hasMethod(tx, method)
  const isPgPool = memberOf(tx, 'totalCount') !== undefined
  // Clients of postgres.js, Bun and neon() can begin transactions. So can Bun's transactions, but those have savepoints.
  const begins = has('begin') || (typeof tx === 'function' && has('transaction'))
  if (isPgPool || (begins && !has('savepoint'))) {
    throw new ListenerConfigError(
      'tx',
      'must be the client of one open transaction (pool.connect() and BEGIN, or what sql.begin() hands over), not a pool',
    )
  }
}

export const SERIALIZATION_FAILURE = '40001'
export const UNDEFINED_TABLE = '42P01'

/** Bun reports the SQLSTATE in `errno`, all other clients in `code`. */
export function hasSqlState(error: unknown, state: string): boolean {
  return ['code', 'errno'].some((name) => memberOf(error, name) === state)
}
