import { ListenerConfigError } from '../../errors.ts'
import { memberOf } from '../../lib/member-of.ts'
import { hasMethod } from '../../lib/options.ts'
import { readOnly } from '../contract.ts'
import { refuseOtherKinds } from '../kinds.ts'
import { type Executors, errorsIn, refuseOrms } from '../orms.ts'

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

/**
 * Runs one statement and returns what the client did, for `answerIn`. All values are strings, which every client sends the same way.
 */
export type RunStatement = (text: string, values: readonly string[]) => Promise<unknown>

/** Clients with `?` in place of `$1`, which take the values in the order of the text. */
const withQuestionMarks = (run: string) =>
  `${run}(text.replace(/\\$\\d+/g, '?'), [...text.matchAll(/\\$(\\d+)/g)].map(([, n]) => values[Number(n) - 1]))`

/** Has the programs of the executors. */
export const EXECUTORS_PAGE = 'docs/idempotent.md'

/** TypeORM runs a statement as it is. */
const EXECUTORS: Executors = {
  Prisma: (client) => `${client}.$queryRawUnsafe(text, ...values)`,
  Drizzle: (client) =>
    `${client}.execute(sql.join(text.split(/\\$(\\d+)/).map((part, n) => (n % 2 ? sql\`\${values[Number(part) - 1]}\` : sql.raw(part)))))`,
  Kysely: (client) => `${client}.executeQuery(CompiledQuery.raw(text, values))`,
  Knex: (client) => withQuestionMarks(`${client}.raw`),
  // Without a fork, the store would run in a transaction that is open around its call.
  MikroORM: (client) => withQuestionMarks(client === 'tx' ? 'tx.execute' : `${client}.fork().execute`),
  // A SELECT answers with rows, whatever the statement is, but goes to a read replica. With CLS, no transaction would be the one around.
  Sequelize: (client) =>
    `${client}.query(text, { bind: values, type: QueryTypes.SELECT, useMaster: true, transaction: null })`,
  "Sequelize's transaction": (client) =>
    `sequelize.query(text, { bind: values, type: QueryTypes.SELECT, transaction: ${client} })`,
}

/** @throws ListenerConfigError for anything that is not a Postgres client. The error has the executor of a known ORM. */
export function statementRunner(client: PostgresClient, option: string): RunStatement {
  refuseOtherKinds(client, option, 'Postgres')
  refuseOrms(client, option, EXECUTORS)
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
    try {
      return await Reflect.apply(call, client, [text, [...values]])
    } catch (error) {
      throw hasSqlState(error, READ_ONLY) ? readOnly(error, EXECUTORS_PAGE) : error
    }
  }
}

/** @throws ListenerConfigError for a client that may run each statement on another connection. */
export function checkTransaction(tx: unknown): void {
  const has = (method: string) => hasMethod(tx, method)
  if (typeof tx === 'function' && has('transaction') && !has('begin')) {
    throw new ListenerConfigError(
      'tx',
      "is neon's HTTP client, which keeps no transaction open: use a client of neon's Pool, between BEGIN and COMMIT",
    )
  }
  const isPgPool = memberOf(tx, 'totalCount') !== undefined
  const isDataSource = has('createQueryRunner') // of TypeORM
  // Clients of postgres.js and Bun can begin transactions. So can Bun's transactions, but those have savepoints.
  if (isPgPool || isDataSource || (has('begin') && !has('savepoint'))) {
    throw new ListenerConfigError(
      'tx',
      'must be the client of one open transaction (pool.connect() and BEGIN, or what sql.begin() hands over), not a pool',
    )
  }
}

export const SERIALIZATION_FAILURE = '40001'
export const UNDEFINED_TABLE = '42P01'
export const UNDEFINED_COLUMN = '42703'
export const UNIQUE_VIOLATION = '23505'
export const DEADLOCK_DETECTED = '40P01'
export const LOCK_NOT_AVAILABLE = '55P03'
const READ_ONLY = '25006'

/** Where the SQLSTATE is: in `errno` with Bun, in `originalCode` with Prisma, in `code` with all others. */
const SQL_STATES = ['code', 'errno', 'originalCode']

/** Whether the server reported this state, whatever the client or the ORM wrapped its error in. */
export function hasSqlState(error: unknown, state: string): boolean {
  return [...errorsIn(error)].some((one) => SQL_STATES.some((name) => memberOf(one, name) === state))
}
