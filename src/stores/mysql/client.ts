import { EventStoreError, ListenerConfigError } from '../../errors.ts'
import { isBytes } from '../../lib/bytes.ts'
import { memberOf } from '../../lib/member-of.ts'
import { hasMethod } from '../../lib/options.ts'
import { readOnly } from '../contract.ts'
import { refuseOtherKinds } from '../kinds.ts'
import { type Executors, errorsIn, refuseOrms } from '../orms.ts'

/**
 * What `mysqlStore` sends its statements to: a pool or connection of mysql2/promise or of the mariadb connector, an EntityManager of
 * TypeORM, or an object that sends them through another ORM. `?` stands for the values, which are digits and hexadecimal digits.
 *
 * @example
 * ```ts
 * const client: MysqlClient = { query: (text, values) => pool.query(text, values) }
 * ```
 */
export interface MysqlClient {
  /**
   * Resolves with the rows, or, for a statement without rows, with an object that has the reply's `insertId`. Either may be the first
   * member of an array.
   */
  query(text: string, values: string[]): PromiseLike<unknown>
}

/** Runs one statement, and returns what the client did. */
export type RunStatement = (text: string, values: readonly string[]) => Promise<unknown>

/** TypeORM runs a statement as it is. */
const EXECUTORS: Executors = {
  Drizzle: (client) =>
    `${client}.execute(sql.join(text.split("?").flatMap((part, n) => n ? [sql.param(values[n - 1]), sql.raw(part)] : sql.raw(part))))`,
  Kysely: (client) => `${client}.executeQuery(CompiledQuery.raw(text, values))`,
  Knex: (client) => `${client}.raw(text, values)`,
  Sequelize: (client) => `${client}.query(text, { replacements: values })`,
  "Sequelize's transaction": (client) =>
    `sequelize.query(text, { replacements: values, transaction: ${client} })`,
}

/** @throws ListenerConfigError for anything that is not a client with promises. */
export function statementRunner(client: MysqlClient, option: string): RunStatement {
  refuseOtherKinds(client, option, 'MySQL')
  refuseOrms(client, option, EXECUTORS)
  if (hasMethod(client, 'promise')) {
    throw new ListenerConfigError(option, `uses callbacks: pass ${option}.promise()`)
  }
  if (!hasMethod(client, 'query')) {
    throw new ListenerConfigError(
      option,
      'is not a known MySQL client: pass a pool or connection of mysql2/promise or mariadb, or { query(text, values) }',
    )
  }
  return async (text, values) => {
    try {
      return await client.query(text, [...values])
    } catch (error) {
      throw isServerError(error, ...READ_ONLY) ? readOnly(error, EXECUTORS_PAGE) : error
    }
  }
}

/** @throws ListenerConfigError for a pool, which may run each statement on another connection. */
export function checkTransaction(tx: unknown): void {
  if (!hasMethod(tx, 'getConnection')) return
  throw new ListenerConfigError(
    'tx',
    'must be the connection of one open transaction (pool.getConnection() and beginTransaction()), not a pool',
  )
}

/** mysql2, mariadb with `metaAsArray`, Drizzle, Knex and Sequelize put the reply in front of an array. */
function replyOf(result: unknown): unknown {
  return Array.isArray(result) ? result[0] : result
}

/**
 * The insert ID of a reply, which is 0 if the statement set none.
 *
 * @throws EventStoreError if the client returned no reply to a statement without rows.
 */
export function insertIdOf(result: unknown): number {
  const reply = replyOf(result)
  // A number, a bigint or a text, as the client is set up. Kysely leaves 0 out, and Sequelize everything else.
  const none = affectedRowsOf(result) === undefined ? Number.NaN : 0
  const id = typeof reply === 'number' ? reply : (memberOf(reply, 'insertId') ?? none)
  const number = Number(id)
  if (Number.isSafeInteger(number)) return number
  throw new EventStoreError('the MySQL client returned no insert ID: it has to resolve with { insertId }')
}

export function affectedRowsOf(result: unknown): number | undefined {
  const reply = replyOf(result)
  const rows = memberOf(reply, 'affectedRows') ?? memberOf(reply, 'numAffectedRows')
  return rows === undefined ? undefined : Number(rows)
}

/** Depth of the values of `{ rows: [{ table: { column } }] }`. */
const DEEPEST = 5

/**
 * All texts in a result, in order. Clients and their settings wrap rows in many ways, and some add descriptions of the columns, so
 * that a statement with rows has to return texts that nothing else contains. Reads each object once: Sequelize returns its rows twice.
 */
export function textsIn(result: unknown, depth: number = DEEPEST, seen: Set<object> = new Set()): string[] {
  if (typeof result === 'string') return [result]
  if (isBytes(result)) return [new TextDecoder().decode(result)] // of a session in charset binary
  if (typeof result !== 'object' || result === null || depth === 0 || seen.has(result)) return []
  seen.add(result)
  return Object.values(result).flatMap((value) => textsIn(value, depth - 1, seen))
}

/** Errors of the server, by number. */
export const ERRORS = {
  /** The server has rolled the whole transaction back. */
  DEADLOCK: 1213,
  /** Another transaction has locked the record, or a gap that it is in. */
  LOCK_WAIT_TIMEOUT: 1205,
  /** MariaDB: another transaction has changed the record since this one first read. */
  CHECKREAD: 1020,
  UNKNOWN_TABLE: 1109,
  NO_SUCH_TABLE: 1146,
  NO_SUCH_SAVEPOINT: 1305,
  TABLE_ACCESS_DENIED: 1142,
  QUERY_INTERRUPTED: 1317,
  /** MariaDB */
  CONNECTION_KILLED: 1927,
} as const

/** Those of a server, a transaction or an engine that is read-only. */
export const READ_ONLY = [1290, 1792, 1836] as const

/** Has the executors. */
export const EXECUTORS_PAGE = 'docs/stores/mysql.md'

/** Whether this error, or one that it wraps, has one of these numbers. */
export function isServerError(error: unknown, ...numbers: readonly number[]): boolean {
  return [...errorsIn(error)].some((one) => numbers.some((number) => memberOf(one, 'errno') === number))
}

/** Whether the server has refused a KILL of the connection that sent it. The numbers of clients are below 0, or above 45,000. */
export function isRefused(error: unknown): boolean {
  if (isServerError(error, ERRORS.CONNECTION_KILLED, ERRORS.QUERY_INTERRUPTED)) return false
  return [...errorsIn(error)].some((one) => {
    const number = memberOf(one, 'errno')
    return typeof number === 'number' && number >= 1000 && number < 45_000
  })
}
