import { END, literalAnswer } from '../answer.ts'
import { partsOfName } from '../contract.ts'

export const DEFAULT_TABLE = 'hookgate_events'

/** The parts of a table's name: `events`, or `database.events`. @throws ListenerConfigError */
export function tableOf(table: string): {
  readonly quoted: string
  readonly name: string
  readonly database: string | undefined
} {
  const parts = partsOfName(table, 'database', 64)
  const [name = '', database] = parts.toReversed()
  return { quoted: parts.map((part) => `\`${part}\``).join('.'), name, database }
}

/**
 * Returns the SQL that `migrate()` runs, for your own migrations. Idempotent.
 *
 * All columns are binary, so that no collation and no time zone changes what they mean. Listener IDs and owners are ASCII, escaped as
 * in JavaScript. `expires_at` is in UTC.
 *
 * @example
 * ```ts
 * console.log(mysqlSchema('webhooks.events'))
 * ```
 *
 * @param table Defaults to `hookgate_events`. May include a database: `webhooks.events`.
 * @throws ListenerConfigError for an invalid name.
 */
export function mysqlSchema(table: string = DEFAULT_TABLE): string {
  return `CREATE TABLE IF NOT EXISTS ${tableOf(table).quoted} (
  event_id BINARY(16) NOT NULL,
  listener_id VARBINARY(500) NOT NULL,
  owner VARBINARY(500) NOT NULL,
  done TINYINT NOT NULL,
  expires_at DATETIME(6) NOT NULL,
  PRIMARY KEY (event_id, listener_id),
  KEY expires_at (expires_at)
) ENGINE = InnoDB`
}

/** A text that fits the columns of listeners and owners. */
export const LONGEST_TEXT = 400

/** A statement that returns the texts in the column `finding` of this query, and one more at the end. */
export function ending(query: string): string {
  return `SELECT CONCAT('a1:', CHAR_LENGTH(finding), ':', finding) AS answer FROM (${query}) AS found
UNION ALL SELECT ${literalAnswer(END)}`
}

const NOW = 'UTC_TIMESTAMP(6)'
const EXPIRY = `${NOW} + INTERVAL CAST(? AS SIGNED) MICROSECOND`
const RELEASED = "DATE '1970-01-01'"
const KEY = 'event_id = UNHEX(?) AND listener_id = UNHEX(?)'

/**
 * The statement, which fails if another transaction, or a change of the table, locks what it needs for longer than this: each that waits keeps a
 * connection until that ends. MySQL reads only the hint, which is for changes of the table.
 */
export function waitingFor(seconds: number, text: string): string {
  const hinted = text.replace(/^\w+/, `$& /*+ SET_VAR(lock_wait_timeout = ${Math.max(seconds, 1)}) */`)
  return `/*M! SET STATEMENT innodb_lock_wait_timeout = ${seconds}, lock_wait_timeout = ${seconds} FOR */ ${hinted}`
}

/** Who has the event, as the insert ID of a claim's or a commit's reply. */
export const FREE = 3
export const DONE = 2
export const LEASED = 1
/** The insert ID of other statements that found their record. If they found none, it is 0. */
export const FOUND = 1
/** The insert ID of a commit in a transaction that found its record on a connection with autocommit off. */
export const AUTOCOMMIT_OFF = 2

/** The values of a statement, in hexadecimal digits, and its time in microseconds, in digits. */
export interface Values {
  readonly eventId: string
  readonly listenerId: string
  readonly owner: string
  readonly microseconds: string
}

/** A statement, and its values in the order of the `?`. */
export interface Statement {
  readonly text: string
  values(given: Values): readonly string[]
}

export interface Statements {
  readonly claim: Statement
  readonly commit: Statement
  /** A commit of what this owner has claimed and not released. With autocommit off it only finds the record, and says so. */
  readonly commitIn: Statement
  readonly release: Statement
  readonly renew: Statement
  /** Returns up to `limit` keys of expired records, the oldest first. */
  expired(limit: number): string
  /** Deletes the records of this many keys, unless they have been taken over. */
  sweep(keys: number): string
}

/**
 * One statement per method. Its answer is the insert ID of the reply, by `LAST_INSERT_ID(expression)`. The number of affected rows would
 * say less: it depends on the client's flag CLIENT_FOUND_ROWS, which mysql2 sets.
 *
 * Values are digits and hexadecimal digits, which every client sends alike, in each `sql_mode` and character set.
 */
export function statementsFor(table: string): Statements {
  const { quoted } = tableOf(table)
  const update = (
    done: string,
    expiry: string,
  ) => `UPDATE ${quoted} SET done = ${done}, expires_at = ${expiry}
WHERE ${KEY} AND owner = UNHEX(?)`
  const found = `LAST_INSERT_ID(${FOUND})`
  return {
    claim: upsert(quoted, 0),
    commit: upsert(quoted, 1),
    commitIn: {
      text: `${update(
        `@@autocommit + 0 * LAST_INSERT_ID(IF(@@autocommit, ${FOUND}, ${AUTOCOMMIT_OFF}))`,
        `IF(@@autocommit, ${EXPIRY}, expires_at)`,
      )} AND NOT done AND expires_at > ${RELEASED}`,
      values: ({ microseconds, eventId, listenerId, owner }) => [microseconds, eventId, listenerId, owner],
    },
    // Not a DELETE, whose reply has no insert ID. `sweep()` deletes the record.
    release: {
      text: `${update(`0 * ${found}`, RELEASED)} AND NOT done AND expires_at > ${NOW}`,
      values: ({ eventId, listenerId, owner }) => [eventId, listenerId, owner],
    },
    renew: {
      text: `${update(`0 * ${found}`, EXPIRY)} AND NOT done AND expires_at > ${NOW}`,
      values: ({ microseconds, eventId, listenerId, owner }) => [microseconds, eventId, listenerId, owner],
    },
    expired: (limit) =>
      ending(
        `(SELECT CONCAT(HEX(event_id), '/', HEX(listener_id)) AS finding FROM ${quoted} WHERE expires_at <= ${NOW} ORDER BY expires_at LIMIT ${limit})`,
      ),
    // By primary key: a range would lock the gaps into which claims insert.
    sweep: (keys) =>
      `DELETE FROM ${quoted} WHERE (event_id, listener_id) IN (${Array(keys).fill('(UNHEX(?), UNHEX(?))').join(', ')}) AND expires_at <= ${NOW}`,
  }
}

/**
 * Writes the record unless another owner has a live one, or it is done.
 *
 * MySQL assigns from left to right, and later assignments see what earlier ones have changed. This order keeps `free` true after each
 * of them, so that the statement means the same if all see the old values, as with MariaDB's `SIMULTANEOUS_ASSIGNMENT`: `owner` comes
 * first, and what makes `free` false comes last: for a claim the new time, for a commit `done`.
 */
function upsert(quoted: string, done: 0 | 1): Statement {
  const free = `(expires_at <= ${NOW} OR owner = UNHEX(?) AND NOT done)`
  const answer = `LAST_INSERT_ID(IF(${free}, ${FREE}, IF(done, ${DONE}, ${LEASED})))`
  const setsDone = `done = IF(${free}, ${done}, done)`
  const setsTime = `expires_at = IF(${free}, ${EXPIRY}, expires_at)`
  const text = `INSERT INTO ${quoted} (event_id, listener_id, owner, done, expires_at)
VALUES (UNHEX(?), UNHEX(?), UNHEX(?), ${done} + 0 * LAST_INSERT_ID(${FREE}), ${EXPIRY})
ON DUPLICATE KEY UPDATE
owner = IF(${answer} = ${FREE}, UNHEX(?), owner),
${(done ? [setsTime, setsDone] : [setsDone, setsTime]).join(',\n')}`
  return {
    text,
    values({ eventId, listenerId, owner, microseconds }) {
      const [forDone, forTime] = [[owner], [owner, microseconds]]
      const rest = done ? [...forTime, ...forDone] : [...forDone, ...forTime]
      return [eventId, listenerId, owner, microseconds, owner, owner, ...rest]
    },
  }
}
