import { checkOptions, oneOfWords, optional } from '../lib/options.ts'
import { answering, converted, POSTGRES } from '../stores/answer.ts'
import type { RunStatement } from '../stores/postgres/client.ts'
import { quotedTable, WAITS_BRIEFLY } from '../stores/postgres/statements.ts'
import { answerOf } from './ask.ts'
import {
  type Condition,
  conditionOf,
  IS_JOB,
  IS_OVER,
  inStates,
  type JobName,
  type ListedState,
  RUNS,
  STATES,
} from './listed.ts'
import { BY_INDEX, isHeld, leaveHeirs } from './statements.ts'

/** What became of the jobs that were named. Those that are not in the table count for nothing. */
export interface Mended {
  /** How many were changed. */
  readonly changed: number
  /**
   * How many were left as they were: they run, another transaction is at work on them, or they are in another state than you gave. For
   * `again()`, also those that are done and have no body any more.
   */
  readonly refused: number
}

/** Which of the named jobs to change. */
export interface MendOptions {
  /** Only those that are still in this state, as when you listed them. Defaults to any. */
  readonly state?: ListedState | undefined
}

const MEND_OPTIONS = { state: optional(oneOfWords(...STATES)) }

const DEAD: Condition = { sql: `one.state = 'dead'`, values: [] }

/** Changes jobs, each with all the keys of its event, and never one that runs: the statement that changes it looks. */
export class MendedJobs {
  readonly #run: RunStatement
  readonly #table: string

  constructor(run: RunStatement, table: string) {
    this.#run = run
    this.#table = quotedTable(table).table
  }

  /** @param name Defaults to all that are dead. */
  async again(name: JobName | undefined, options: MendOptions): Promise<Mended> {
    checkOptions('again', options, MEND_OPTIONS)
    const table = this.#table
    const holds = `(job.order_key IS NOT NULL AND (job.state = 'waiting' OR job.state = 'dead' AND coalesce(job.holds, FALSE)))`
    return this.#change(name === undefined ? DEAD : await conditionOf(name), options, {
      unless: `${RUNS} OR one.envelope IS NULL`,
      // Unless it holds its key, it has to wait until nothing does. It is before the others then, as its number is the smaller one.
      changed: `UPDATE ${table} AS job SET state = CASE WHEN job.order_key IS NULL OR ${holds} THEN 'waiting' ELSE 'behind' END,
    holds = CASE WHEN ${holds} THEN TRUE END, attempts = 0, worker = NULL, keep_until = NULL,
    due_at = clock_timestamp(), put_at = clock_timestamp()
  FROM free WHERE job.key = free.key AND job.listener_id = free.listener_id
  RETURNING job.key, job.listener_id, job.owner, job.forget_at`,
      // As long as the job is not done, nor are its other keys.
      andThen: `twins AS (
  UPDATE ${table} AS twin SET state = 'twin', due_at = coalesce(changed.forget_at, 'infinity') FROM changed
  WHERE twin.job = changed.key AND twin.listener_id = changed.listener_id AND twin.owner = changed.owner AND twin.state = 'done'
)`,
    })
  }

  async forget(name: JobName, options: MendOptions): Promise<Mended> {
    checkOptions('forget', options, MEND_OPTIONS)
    return this.#change(await conditionOf(name), options, {
      unless: RUNS,
      changed: `DELETE FROM ${this.#table} AS job USING free
  WHERE job.key = free.key AND job.listener_id = free.listener_id AND ${BY_INDEX}
  RETURNING job.listener_id, job.order_key, job.state, job.holds`, // the twins go with it
      andThen: `heirs AS (${leaveHeirs(this.#table, `changed WHERE holds OR state = 'behind'`)})`,
    })
  }

  async #change(
    { sql, values }: Condition,
    { state }: MendOptions,
    how: Readonly<Record<'unless' | 'changed', string>> & { readonly andThen?: string },
  ): Promise<Mended> {
    const named = `FROM ${this.#table} AS one WHERE ${sql} AND ${IS_JOB} AND NOT ${IS_OVER}`
    const statement = answering(
      `SELECT (SELECT count(*) FROM changed) || ' ' || (SELECT count(*) ${named})`,
      `free AS MATERIALIZED (
  SELECT one.key, one.listener_id ${named} AND NOT (${how.unless}) AND ${state ? inStates(isHeld(this.#table))[state] : 'TRUE'} AND ${WAITS_BRIEFLY}
  ORDER BY one.key, one.listener_id FOR UPDATE SKIP LOCKED
), changed AS (
  ${how.changed}
)${how.andThen ? `, ${how.andThen}` : ''}`,
    )
    const answer = await answerOf(this.#run, statement, values)
    const [, changed, found] = /^(\d+) (\d+)$/.exec(answer) ?? []
    if (changed === undefined) throw converted('another text', POSTGRES)
    return { changed: Number(changed), refused: Math.max(0, Number(found) - Number(changed)) }
  }
}
