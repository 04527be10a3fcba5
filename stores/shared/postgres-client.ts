import { EventStoreError, ListenerConfigError } from '../../src/errors.ts'

/** `query(text, values)`: pg's Pool, Client and PoolClient, PGlite and its transactions, neon() and neon's Pool. */
export interface PostgresQueryClient {
  query(text: string, values: string[]): PromiseLike<unknown>
}

/** `unsafe(text, values)`: postgres.js and Bun.SQL, and what their `begin` hands over. */
export interface PostgresUnsafeClient {
  unsafe(text: string, values: string[]): PromiseLike<unknown>
}

/** What `postgresStore` takes: pg, PGlite and neon by `query`; postgres.js and Bun's SQL by `unsafe`. */
export type PostgresClient = PostgresQueryClient | PostgresUnsafeClient

/** A row as a client gives it. All columns that are asked for here are texts. */
export type Row = Readonly<Record<string, unknown>>

/** Runs one statement and gives its rows. All values are texts: that is what every client sends alike. */
export type RunStatement = (text: string, values: readonly string[]) => Promise<readonly Row[]>

/** @throws ListenerConfigError for anything that is not a Postgres client. */
export function statementRunner(client: PostgresClient, option: string): RunStatement {
  const call = callOf(client)
  if (call === undefined) {
    throw new ListenerConfigError(
      option,
      'is no Postgres client that is known: give a Pool, Client or PoolClient of pg, a postgres.js or Bun SQL, ' +
        'a PGlite, neon() or a neon Pool',
    )
  }
  return async (text, values) => rowsOf(await call(text, [...values]))
}

/** `query` is looked for first: neon() has an `unsafe` too, which runs nothing. */
function callOf(client: unknown): ((text: string, values: string[]) => unknown) | undefined {
  const holder = Object(client)
  for (const name of ['query', 'unsafe']) {
    const method: unknown = Reflect.get(holder, name)
    if (typeof method === 'function') return (...given) => Reflect.apply(method, holder, given)
  }
  return undefined
}

/** Some clients answer with the rows, others with an object around them. */
function rowsOf(result: unknown): readonly Row[] {
  const rows: unknown = Array.isArray(result) ? result : Reflect.get(Object(result), 'rows')
  if (Array.isArray(rows)) return rows
  throw new EventStoreError('the Postgres client answered with something else than rows')
}

/** @throws ListenerConfigError for a client that gives each statement a connection of its choice. */
export function checkTransaction(tx: unknown): void {
  const has = (name: string) => typeof Reflect.get(Object(tx), name) === 'function'
  const isPgPool = 'totalCount' in Object(tx)
  // postgres.js and Bun begin transactions, and so does neon(); Bun's transaction still could, but has savepoints too.
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

/** Bun keeps the SQLSTATE in `errno`, all others in `code`. */
export function hasSqlState(error: unknown, state: string): boolean {
  return ['code', 'errno'].some((name) => Reflect.get(Object(error), name) === state)
}
