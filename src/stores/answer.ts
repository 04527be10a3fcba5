import { EventStoreError } from '../errors.ts'
import { encodeUtf8 } from '../lib/bytes.ts'
import { memberOf } from '../lib/member-of.ts'
import { kindOf } from '../lib/options.ts'

/**
 * How a database answers: each row has one value, a text that no client, plugin or ORM changes unseen. It begins with a letter, so that
 * nobody takes it for JSON, a date or a number, and with the version of this form. Then it says its length, in characters.
 *
 * Statements always return a row, so that a lost one is never taken for an answer.
 */
const FORM = /^a1:([0-9]{1,10}):/

/** SQL of an answer that is known beforehand. */
export const literalAnswer = (answer: string): string => `'a1:${answer.length}:${answer}'`

/** SQL of an answer that is in a column of texts. For Postgres and SQLite. */
export const columnAnswer = (column: string): string => `'a1:' || length(${column}) || ':' || ${column}`

/** What a statement answers if its last part returns no row. */
export const NONE = 'none'

/**
 * A statement that returns one row: what its last part, a query of one column, finds, or `none`. Fails if that is more than one row.
 * For Postgres.
 *
 * @param others The common table expressions before it, if any.
 */
export function answering(query: string, others = ''): string {
  return `WITH ${others && `${others}, `}given (answer) AS (
${query}
)
SELECT coalesce((SELECT ${columnAnswer('answer')} FROM given), ${literalAnswer(NONE)}) AS answer`
}

/**
 * The last part of a statement that returns any number of rows, each the JSON in the column `record` of this table, and in one more row
 * how many they are. For Postgres.
 */
export function recording(table: string): string {
  return `SELECT ${columnAnswer('counted')} AS answer FROM (SELECT count(*)::text AS counted FROM ${table}) AS number
UNION ALL SELECT ${columnAnswer('record')} FROM ${table}`
}

/** SQL of such a record: the members' names, and the SQL of each. In ASCII, if its texts are. */
export function record(members: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(members).map(([name, value]) => `'${name}', ${value}`)
  return `json_build_object(${pairs.join(', ')})::text AS record`
}

/** A kind of database, and what is known to change what its clients return. */
export interface Answerer {
  readonly name: string
  /** What changes values. */
  readonly converters: string
  /** What changes rows. */
  readonly shapers: string
}

export const POSTGRES: Answerer = {
  name: 'Postgres',
  converters:
    '`transform` of postgres.js, a type parser of pg (`types`), a plugin of Kysely such as ParseJSONResultsPlugin or CamelCasePlugin, ' +
    '`postProcessResponse` of Knex, a result extension of Prisma',
  shapers:
    '`transform` of postgres.js, a plugin of Kysely, `postProcessResponse` of Knex, Sequelize without `type: QueryTypes.SELECT`, an executor ' +
    'that returns the first row alone',
}

export const MYSQL: Answerer = {
  name: 'MySQL',
  converters:
    '`typeCast` of mysql2 or mariadb, a plugin of Kysely, `postProcessResponse` of Knex, a result extension of Prisma',
  shapers: 'a plugin of Kysely, `postProcessResponse` of Knex, an executor that returns the first row alone',
}

export const SQLITE: Answerer = {
  name: 'SQLite',
  converters: 'a wrapper of the driver that maps values',
  shapers: 'a wrapper of the driver that maps rows',
}

/**
 * The answer in the only row that a client returned.
 *
 * @throws EventStoreError if that is not what the database wrote, with what may have changed it.
 */
export function answerIn(result: unknown, by: Answerer): string {
  const rows = rowsIn(result, by)
  if (rows.length !== 1) throw reshaped(`${rows.length} rows`, by)
  return textIn(rows[0], by)
}

/**
 * The records of a statement that returns any number of them.
 *
 * @throws EventStoreError if one of them is not what the database wrote, or is missing.
 */
export function recordsIn(result: unknown, by: Answerer): readonly unknown[] {
  const texts = rowsIn(result, by).map((row) => textIn(row, by))
  const records = texts.filter((text) => text.startsWith('{'))
  const isWhole = texts.length === records.length + 1 && texts.includes(`${records.length}`)
  if (!isWhole) throw reshaped(`${texts.length} rows`, by)
  return records.map((text) => recordIn(text, by))
}

/** The record in an answer. @throws EventStoreError if that is not what the database wrote. */
export function recordIn(text: string, by: Answerer): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw converted('another text', by) // no cause: its message quotes the text
  }
}

/** One answer of a statement that returns any number of them: it shows that rows come through. */
export const END = 'end'

/**
 * The answers of a statement that returns any number of them, without `end`.
 *
 * @throws EventStoreError if one of them is not what the database wrote, or if `end` is missing.
 */
export function answersIn(result: unknown, by: Answerer): readonly string[] {
  const answers = rowsIn(result, by).map((row) => textIn(row, by))
  return withoutEnd(answers, by)
}

/** The same from all texts of a result, for clients that wrap rows in many ways. */
export function answersAmong(texts: readonly string[], by: Answerer): readonly string[] {
  const answers = texts.filter((text) => FORM.test(text)).map((text) => answerOfText(text, by))
  return withoutEnd(answers, by)
}

function withoutEnd(answers: readonly string[], by: Answerer): readonly string[] {
  const end = answers.lastIndexOf(END)
  if (end < 0) throw reshaped(`${answers.length} rows, without the last`, by)
  return answers.filter((_, index) => index !== end)
}

/** Some clients return the rows, others an object with `rows`, and others an array of the rows and something about them. */
function rowsIn(result: unknown, by: Answerer): readonly unknown[] {
  const rows = Array.isArray(result) ? result : memberOf(result, 'rows')
  if (!Array.isArray(rows)) throw reshaped(`${kindOf(result)}, which has no rows`, by)
  const first: unknown = rows[0]
  if (!Array.isArray(first)) return rows
  const isRow = first.length > 0 && kindOf(first[0]) !== 'Object' && !Array.isArray(first[0]) // of a client that returns arrays
  return isRow ? rows : first
}

function textIn(row: unknown, by: Answerer): string {
  const values: readonly unknown[] = Object.values(Object(row))
  if (kindOf(row) === 'String' || values.length !== 1) throw reshaped(`a row of ${values.length} columns`, by)
  const [value] = values
  if (typeof value !== 'string') throw converted(kindOf(value), by)
  return answerOfText(value, by)
}

function answerOfText(value: string, by: Answerer): string {
  const [prefix, length] = FORM.exec(value) ?? []
  if (prefix === undefined) throw converted('another text', by)
  const answer = value.slice(prefix.length)
  const isWhole = [charactersOf, bytesOf].some((lengthOf) => lengthOf(answer) === Number(length))
  if (!isWhole) throw converted('a text of another length', by)
  return answer
}

/** As databases count: without the second half of a surrogate pair. */
const charactersOf = (text: string) => text.length - (text.match(/[\ud800-\udbff]/g)?.length ?? 0)
/** As a database in SQL_ASCII counts. */
const bytesOf = (text: string) => encodeUtf8(text).length

/** Makes the error for a client that returned this value instead of the text that the database wrote. */
export function converted(what: string, { name, converters }: Answerer): EventStoreError {
  return changed(what, name, converters)
}

function reshaped(what: string, { name, shapers }: Answerer): EventStoreError {
  return changed(what, name, shapers)
}

/** Names no value, which may be a stranger's. */
function changed(what: string, name: string, suspects: string): EventStoreError {
  return new EventStoreError(
    `the client does not return what ${name} answered, but ${what}: give hookgate a client without what changes results (${suspects})`,
  )
}
