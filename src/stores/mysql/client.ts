import { EventStoreError, ListenerConfigError } from '../../errors.ts'
import { memberOf } from '../../lib/member-of.ts'
import { hasMethod } from '../../lib/options.ts'

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

/** Handles that are no clients, by methods of theirs, and what sends statements through them. */
const EXECUTORS: readonly (readonly [name: string, methods: readonly string[], executor: string])[] = [
  ['uses callbacks', ['query', 'promise'], 'client.promise()'],
  [
    'is a Sequelize',
    ['query', 'getQueryInterface'],
    '{ query: (text, values) => sequelize.query(text, { replacements: values, transaction }) }',
  ],
  [
    'is a Kysely',
    ['executeQuery'],
    '{ query: (text, values) => db.executeQuery(CompiledQuery.raw(text, values)) }',
  ],
  ['is a Knex', ['raw'], '{ query: (text, values) => knex.raw(text, values) }'],
  [
    'is a Drizzle',
    ['execute', 'select'],
    '{ query: (text, values) => db.execute(sql.join(text.split("?").flatMap((part, n) => n ? [sql.param(values[n - 1]), sql.raw(part)] : sql.raw(part)))) }',
  ],
]

/** @throws ListenerConfigError for anything that is not a client with promises. */
export function statementRunner(client: MysqlClient, option: string): RunStatement {
  for (const [name, methods, executor] of EXECUTORS) {
    if (methods.every((method) => hasMethod(client, method))) {
      throw new ListenerConfigError(option, `${name}: pass ${executor}`)
    }
  }
  if (!hasMethod(client, 'query')) {
    throw new ListenerConfigError(
      option,
      'is not a known MySQL client: pass a pool or connection of mysql2/promise or mariadb, or { query(text, values) }',
    )
  }
  return async (text, values) => client.query(text, [...values])
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
 * that a statement with rows has to return texts that nothing else contains.
 */
export function textsIn(result: unknown, depth: number = DEEPEST): string[] {
  if (typeof result === 'string') return [result]
  if (result instanceof Uint8Array) return [new TextDecoder().decode(result)] // of a session in charset binary
  if (typeof result !== 'object' || result === null || depth === 0) return []
  return Object.values(result).flatMap((value) => textsIn(value, depth - 1))
}

/** Errors of the server, by number. */
export const ERRORS = {
  /** The server has rolled the whole transaction back. */
  DEADLOCK: 1213,
  /** MariaDB: another transaction has changed the record since this one first read. */
  CHECKREAD: 1020,
  NO_SUCH_TABLE: 1146,
  NO_SUCH_SAVEPOINT: 1305,
  TABLE_ACCESS_DENIED: 1142,
  READ_ONLY_SERVER: 1290,
  READ_ONLY_TRANSACTION: 1792,
  READ_ONLY_ENGINE: 1836,
} as const

/** Where ORMs put the error of the client, and how deep. */
const WRAPPED_IN = ['cause', 'parent', 'driverError']
const DEEPEST_ERROR = 4

/** Whether this error, or one that it wraps, has one of these numbers. */
export function isServerError(error: unknown, ...numbers: readonly number[]): boolean {
  let layer = [error]
  for (let depth = 0; depth < DEEPEST_ERROR; depth += 1) {
    if (layer.some((each) => numbers.some((number) => memberOf(each, 'errno') === number))) return true
    layer = layer.flatMap((each) =>
      WRAPPED_IN.map((name) => memberOf(each, name)).filter((inner) => inner != null),
    )
  }
  return false
}
