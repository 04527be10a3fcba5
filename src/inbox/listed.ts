import { ListenerConfigError } from '../errors.ts'
import { decodeBase64 } from '../lib/bytes.ts'
import { isA, memberOf, textOf } from '../lib/member-of.ts'
import {
  aBoolean,
  checkOptions,
  kindOf,
  type OptionCheck,
  type OptionTable,
  oneOfWords,
  optional,
} from '../lib/options.ts'
import { converted, POSTGRES, record, recording } from '../stores/answer.ts'
import { asciiText, fromAscii } from '../stores/contract.ts'
import type { RunStatement } from '../stores/postgres/client.ts'
import { keyText, quotedTable } from '../stores/postgres/statements.ts'
import { recordsOf, textsOf } from './ask.ts'
import { type JobPlace, jobIdOf, placeOf } from './job-id.ts'
import { isHeld } from './statements.ts'

/**
 * `waiting`: due now, or after a delay. `running`: with a lease that has not ended. `held`: waits for an earlier one of its key. `dead`: out of
 * attempts. `done`: still remembered.
 */
export type ListedState = 'waiting' | 'running' | 'held' | 'dead' | 'done'

/** A job, as `list()` and `get()` return it. */
export interface ListedJob {
  /** Names this job for `get()`, `again()`, `forget()`, and as `before`. Opaque: it is not the event's ID. */
  readonly id: string
  /** The `id` of the listener. */
  readonly listener: string
  /** `event.id`. If the sender does not sign it, several jobs may have the same. */
  readonly eventId: string
  /** `event.type`. Undefined if the event has none. */
  readonly type: string | undefined
  /** What has become of it so far. */
  readonly state: ListedState
  /** How many attempts have begun, since it was put or since `again()`. */
  readonly attempts: number
  /** When it was put, or when `again()` was called. */
  readonly putAt: Date
  /** `waiting`: when it is due. `running`: when its lease ends. `done`: until when it is remembered. `held` and `dead`: undefined. */
  readonly dueAt: Date | undefined
  /** What the last attempt that failed threw: name and message, which may quote what your handler quotes. */
  readonly error: string | undefined
  /** Whether the body is still there. It goes when the event is done, unless you set `keepBodiesFor`. */
  readonly hasBody: boolean
  /** The exact bytes of the body, if you asked for them and they are still there. */
  readonly body?: Uint8Array
}

/** Which jobs to list. */
export interface ListOptions {
  /** Defaults to all. */
  readonly state?: ListedState | undefined
  /** The `id` of a listener. Defaults to all. */
  readonly listener?: string | undefined
  /** An `event.type`, exactly as the sender spells it. Defaults to all. */
  readonly type?: string | undefined
  /**
   * Lists what comes after this job, the `id` of one that was listed, whatever has become of it; or what was put before this Date. Of an
   * array, all of it holds: the Date and, from the second page on, the job.
   */
  readonly before?: string | Date | readonly (string | Date)[] | undefined
  /** How many at most: from 1 to 1,000. Defaults to 100. */
  readonly limit?: number | undefined
  /**
   * Whether to return bodies, too. They are personal data. A list with bodies ends early, once they take 10 MB, so list again until there is
   * none. Defaults to false.
   */
  readonly body?: boolean | undefined
}

/**
 * Names jobs: by the `id` of one that was listed, by those of several, or by the event. Several jobs may have an `eventId` that the sender
 * does not sign.
 */
export type JobName = string | readonly string[] | { readonly listener: string; readonly eventId: string }

export const STATES = ['waiting', 'running', 'held', 'dead', 'done'] as const

const MOST_LISTED = 1000
const LISTED = 100
/** After so many bytes of bodies, a list returns no further job. */
const LISTED_BYTES = 10_000_000

const aText: OptionCheck = (value, option) => {
  if (typeof value !== 'string' || value === '')
    throw new ListenerConfigError(option, `must be a text that is not empty, not ${kindOf(value)}`)
}

const aPlace: OptionCheck = (value, option) => {
  if (Array.isArray(value)) return value.forEach((each, index) => void aPlace(each, `${option}[${index}]`))
  if (typeof value === 'string')
    placeOf(value, option, 'must be the `id` of a listed job, or a Date: for a time, new Date(text)')
  else if (!isA(value, Date) || Number.isNaN(value.getTime()))
    throw new ListenerConfigError(option, 'must be the `id` of a listed job, or a valid Date')
}

const aLimit: OptionCheck = (value, option) => {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_LISTED) return
  throw new ListenerConfigError(
    option,
    `must be a whole number from 1 to ${MOST_LISTED}: for more, list again with \`before\``,
  )
}

const LIST_OPTIONS: OptionTable<ListOptions> = {
  state: optional(oneOfWords(...STATES)),
  listener: optional(aText),
  type: optional(aText),
  before: optional(aPlace),
  limit: optional(aLimit),
  body: optional(aBoolean),
}

/** SQL of a condition, and the values of its parameters, which begin with `$1`. */
export interface Condition {
  readonly sql: string
  readonly values: readonly string[]
}

/** Whether the row `one` is a job, and neither a claim nor another key of the event. */
export const IS_JOB = 'one.job IS NULL AND one.id IS NOT NULL'
/** A worker leaves an empty text where a run has ended that may not go on at once. */
export const RUNS = `coalesce(one.state = 'waiting' AND one.worker <> '' AND one.due_at > clock_timestamp(), FALSE)`
/** No longer remembered, though no sweep has deleted it yet. */
export const IS_OVER = `(one.state = 'done' AND one.due_at <= clock_timestamp())`

/** SQL of each state, of the row `one`. */
export const inStates = (held: string): Readonly<Record<ListedState, string>> => ({
  waiting: `(one.state = 'waiting' AND NOT ${RUNS} OR one.state = 'behind' AND NOT ${held})`,
  running: `one.state = 'waiting' AND ${RUNS}`,
  held,
  dead: `one.state = 'dead'`,
  done: `one.state = 'done' AND NOT ${IS_OVER}`,
})

/** @throws ListenerConfigError for anything that names no job. */
export async function conditionOf(name: JobName): Promise<Condition> {
  if (typeof name === 'string' || Array.isArray(name)) return ofIds([name].flat())
  if (typeof name !== 'object' || name === null) throw new ListenerConfigError('job', NAMED)
  checkOptions('job', name, { listener: aText, eventId: aText })
  const { listener, eventId } = name as Exclude<JobName, string | readonly string[]>
  return {
    sql: 'one.listener_id = $1::text AND one.id = $2::text',
    values: [await keyText(listener), asciiText(eventId)],
  }
}

const NAMED =
  'must be the `id` of a job that list() returned, or an array of them; for an event of the sender, pass { listener, eventId }'

function ofIds(ids: readonly unknown[]): Condition {
  const places = ids.map((id) => placeOf(id, 'job', NAMED))
  const list = (member: keyof JobPlace) => `{${places.map((place) => place[member]).join(',')}}`
  return {
    sql: '(one.key, one.number) IN (SELECT * FROM unnest($1::text::uuid[], $2::text::bigint[]))',
    values: [list('key'), list('number')],
  }
}

/** Finds jobs in a table, and changes nothing. */
export class ListedJobs {
  readonly #run: RunStatement
  readonly #table: string

  constructor(run: RunStatement, table: string) {
    this.#run = run
    this.#table = quotedTable(table).table
  }

  async list(options: ListOptions): Promise<readonly ListedJob[]> {
    checkOptions('list', options, LIST_OPTIONS)
    const { state, listener, type, before, limit = LISTED, body = false } = options
    const values: string[] = []
    const given = (value: string) => `$${values.push(value)}`
    const conditions = [
      state
        ? inStates(isHeld(this.#table))[state]
        : `one.state IN ('waiting', 'behind', 'dead', 'done') AND NOT ${IS_OVER}`,
      ...(listener === undefined ? [] : [`one.listener_id = ${given(await keyText(listener))}::text`]),
      ...(type === undefined ? [] : [`one.type = ${given(asciiText(type))}::text`]),
      ...[before ?? []].flat().map((place) =>
        isA(place, Date)
          ? `one.put_at < to_timestamp(${given(`${Math.max(0, place.getTime()) / 1000}`)}::float8)` // Postgres has no years before 4713 BC
          : `one.number < ${given(`${placeOf(place, 'before', '').number}`)}::bigint`,
      ),
    ]
    return this.#find({ sql: conditions.join(' AND '), values }, body, state, given(`${limit}`))
  }

  async get(name: JobName, options: { readonly body?: boolean | undefined }): Promise<readonly ListedJob[]> {
    checkOptions('get', options, { body: optional(aBoolean) })
    const { sql, values } = await conditionOf(name)
    const most = Math.max(MOST_LISTED, [name].flat().length)
    const limit = `$${values.length + 1}`
    const condition = { sql: `${sql} AND NOT ${IS_OVER}`, values: [...values, `${most}`] }
    return this.#find(condition, options.body ?? false, undefined, limit)
  }

  async #find(
    { sql, values }: Condition,
    body: boolean,
    state: ListedState | undefined,
    limit: string,
  ): Promise<readonly ListedJob[]> {
    const text = (column: string) => `coalesce(one.${column}::text, '')`
    const time = (column: string) => `extract(epoch FROM one.${column}) * 1000`
    const states = inStates(isHeld(this.#table))
    const inState = `CASE WHEN ${states.running} THEN 'running' WHEN ${states.held} THEN 'held' WHEN one.state = 'behind' THEN 'waiting' ELSE one.state END`
    const members = {
      key: 'one.key',
      number: 'one.number',
      listener: 'one.listener_id',
      eventId: 'one.id',
      type: 'one.type',
      state: state ? `'${state}'` : inState,
      attempts: 'one.attempts',
      putAt: time('put_at'),
      dueAt: time('due_at'),
      error: text('error'),
      hasBody: 'one.envelope IS NOT NULL',
      ...(body && { envelope: text('envelope') }),
    }
    const page = `SELECT * FROM ${this.#table} AS one WHERE ${IS_JOB} AND ${sql} ORDER BY one.number DESC LIMIT ${limit}::int`
    const bytes = 'coalesce(octet_length(envelope), 0)'
    const sized = `SELECT * FROM (
    SELECT *, sum(${bytes}) OVER (ORDER BY number DESC) - ${bytes} AS bytes_before FROM (${page}) AS page
  ) AS sized WHERE bytes_before < ${LISTED_BYTES}`
    const statement = `WITH listed AS (
  SELECT ${record(members)} FROM (${limit && body ? sized : page}) AS one
)
${recording('listed')}`
    const records = await recordsOf(this.#run, statement, values)
    return records
      .toSorted((one, other) => Number(memberOf(other, 'number')) - Number(memberOf(one, 'number')))
      .map(jobOf)
  }
}

/** @throws EventStoreError if the client has changed the record. */
function jobOf(record: unknown): ListedJob {
  const text = textsOf(record)
  const number = (name: string) => Number(memberOf(record, name))
  const state = STATES.find((each) => each === text('state'))
  if (state === undefined) throw converted('another text', POSTGRES)
  const type = textOf(record, 'type')
  const body = bodyOf(textOf(record, 'envelope'))
  return {
    id: jobIdOf({ key: text('key'), number: number('number') }),
    listener: fromAscii(text('listener')),
    eventId: fromAscii(text('eventId')),
    type: type === undefined ? undefined : fromAscii(type),
    state,
    attempts: number('attempts'),
    putAt: new Date(number('putAt')),
    dueAt: state === 'dead' || state === 'held' ? undefined : new Date(number('dueAt')),
    error: text('error') ? fromAscii(text('error')) : undefined,
    hasBody: memberOf(record, 'hasBody') === true,
    ...(body && { body }),
  }
}

/** Reads the body from the envelope, which nobody has changed since it was put. */
function bodyOf(envelope: string | undefined): Uint8Array | undefined {
  if (!envelope) return undefined
  return decodeBase64(textOf(JSON.parse(envelope), 'bodyBase64') ?? '')
}
