import { EventStoreError, ListenerConfigError } from '../../errors.ts'
import { memberOf } from '../../lib/member-of.ts'
import { hasMethod } from '../../lib/options.ts'
import { errorsIn, type Orm, ormOf } from '../orms.ts'

/**
 * Clients with `query(text, values)`: pg's Pool, Client and PoolClient, PGlite, its transactions, neon(), neon's Pool, TypeORM,
 * and the executor of any other ORM, which runs one statement with `$1`, `$2` … and returns its rows, or an object with `rows`.
 *
 * @example
 * ```ts
 * const executor: PostgresQueryClient = { query: (text, values) => pool.query(text, values) }
 * ```
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

/** Clients with `?` in place of `$1`, which take the values in the order of the text. */
const withQuestionMarks = (run: string) =>
  `${run}(text.replace(/\\$\\d+/g, '?'), [...text.matchAll(/\\$(\\d+)/g)].map(([, n]) => values[Number(n) - 1]))`

/** How an ORM runs a statement, to be pasted. TypeORM runs it as it is. */
const EXECUTORS: Readonly<Record<Exclude<Orm, 'TypeORM'>, (client: string) => string>> = {
  Prisma: (client) => `${client}.$queryRawUnsafe(text, ...values)`,
  Drizzle: (client) =>
    `${client}.execute(sql.join(text.split(/\\$(\\d+)/).map((part, n) => (n % 2 ? sql\`\${values[Number(part) - 1]}\` : sql.raw(part)))))`,
  Kysely: (client) => `${client}.executeQuery(CompiledQuery.raw(text, values))`,
  Knex: (client) => withQuestionMarks(`${client}.raw`),
  MikroORM: (client) => withQuestionMarks(`${client}.execute`),
  Sequelize: (client) => `${client}.query(text, { bind: values, type: QueryTypes.SELECT })`,
  "Sequelize's transaction": (client) =>
    `sequelize.query(text, { bind: values, type: QueryTypes.SELECT, transaction: ${client} })`,
}

/** @throws ListenerConfigError for anything that is not a Postgres client. The error has the executor of a known ORM. */
export function statementRunner(client: PostgresClient, option: string): RunStatement {
  const orm = ormOf(client)
  if (orm && orm !== 'TypeORM') {
    const executor = EXECUTORS[orm](option)
    throw new ListenerConfigError(
      option,
      `is of ${orm}: pass { query: (text, values) => ${executor} } in its place`,
    )
  }
  // `query` first, because the `unsafe` of neon() runs nothing.
  const name = ['query', 'unsafe'].find((method) => hasMethod(client, method))
  if (name === undefined) {
    throw new ListenerConfigError(
      option,
      'is not a known Postgres client: pass a Pool, Client or PoolClient of pg, a postgres.js or Bun SQL, ' +
        'a PGlite, neon() or a neon Pool, or { query(text, values) } around another client',
    )
  }
  const call = Reflect.get(client, name)
  return async (text, values) => {
    const result: unknown = await Reflect.apply(call, client, [text, [...values]])
    // Some clients return the rows, others an object with `rows`.
    const rows = Array.isArray(result) ? result : memberOf(result, 'rows')
    if (!Array.isArray(rows))
      throw new EventStoreError('the Postgres client returned something other than rows')
    // TypeORM answers UPDATE and DELETE with the rows and their number.
    return Array.isArray(rows[0]) ? rows[0] : rows
  }
}

/** @throws ListenerConfigError for a client that may run each statement on another connection. */
export function checkTransaction(tx: unknown): void {
  const has = (method: string) => hasMethod(tx, method)
  const isPgPool = memberOf(tx, 'totalCount') !== undefined
  // Clients of postgres.js, Bun and neon() can begin transactions. So can Bun's transactions, but those have savepoints.
  const begins = has('begin') || (typeof tx === 'function' && has('transaction'))
  const isDataSource = has('createQueryRunner') // of TypeORM
  if (isPgPool || isDataSource || (begins && !has('savepoint'))) {
    throw new ListenerConfigError(
      'tx',
      'must be the client of one open transaction (pool.connect() and BEGIN, or what sql.begin() hands over), not a pool',
    )
  }
}

export const SERIALIZATION_FAILURE = '40001'
export const UNDEFINED_TABLE = '42P01'

/** Where the SQLSTATE is: in `errno` with Bun, in `originalCode` with Prisma, in `code` with all others. */
const SQL_STATES = ['code', 'errno', 'originalCode']

/** Whether the server reported this state, whatever the client or the ORM wrapped its error in. */
export function hasSqlState(error: unknown, state: string): boolean {
  return [...errorsIn(error)].some((one) => SQL_STATES.some((name) => memberOf(one, name) === state))
}
