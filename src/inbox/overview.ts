import { memberOf, textOf } from '../lib/member-of.ts'
import { record, recording } from '../stores/answer.ts'
import { fromAscii } from '../stores/contract.ts'
import type { RunStatement } from '../stores/postgres/client.ts'
import { quotedTable } from '../stores/postgres/statements.ts'
import { recordsOf } from './ask.ts'
import { IS_JOB, IS_OVER, inStates } from './listed.ts'
import { isHeld } from './statements.ts'

/** How far the workers of a listener are behind. */
export interface OldestJob {
  /** The `id` of the listener. */
  readonly listener: string
  /** How long its first job has been due without being run, in milliseconds. */
  readonly dueForMs: number
}

/** Goes from listener to listener through the index of what waits, whatever their number of jobs. */
export async function oldestOf(run: RunStatement, name: string): Promise<readonly OldestJob[]> {
  const { table } = quotedTable(name)
  const firstIn = (state: string, condition: string) =>
    `(SELECT listener_id, due_at FROM ${table} WHERE state = '${state}' ${condition} ORDER BY listener_id, due_at LIMIT 1)`
  const first = (condition: string) => `(
  SELECT * FROM (${firstIn('waiting', condition)} UNION ALL ${firstIn('behind', condition)}) AS each ORDER BY listener_id, due_at LIMIT 1
)`
  const dueFor = 'extract(epoch FROM clock_timestamp() - due_at) * 1000'
  const records = await recordsOf(
    run,
    `WITH RECURSIVE first AS (
${first('')} UNION ALL SELECT next.* FROM first, LATERAL ${first('AND listener_id > first.listener_id')} AS next
), due AS (
  SELECT ${record({ listener: 'listener_id', dueForMs: dueFor })} FROM first WHERE due_at <= clock_timestamp()
)
${recording('due')}`,
    [],
  )
  return records.map((found) => ({
    listener: fromAscii(textOf(found, 'listener') ?? ''),
    dueForMs: Number(memberOf(found, 'dueForMs')),
  }))
}

/** How many jobs there are. */
export interface InboxCounts {
  /** Due now, or after a delay. */
  readonly waiting: number
  /** With a lease that has not ended. */
  readonly running: number
  /** Wait for an earlier one of their key: until it is done, or dead, and for longer with `afterDead: 'hold'`. */
  readonly held: number
  /** Out of attempts. They stay, as duplicates of later deliveries, until you call `again()`. */
  readonly dead: number
  /** Done, and still remembered. */
  readonly done: number
}

/** The counts in a record. */
export function countsIn(record: unknown): InboxCounts {
  const count = (name: keyof InboxCounts) => Number(memberOf(record, name))
  return {
    waiting: count('waiting'),
    running: count('running'),
    held: count('held'),
    dead: count('dead'),
    done: count('done'),
  }
}

/** What an inbox has of a listener. */
export interface ListenerJobs extends InboxCounts {
  readonly listener: string
  /** When the oldest one that waits was put. */
  readonly oldest: Date | undefined
}

/** The jobs of each listener, by its ID. Reads the whole table. */
export async function overviewOf(run: RunStatement, name: string): Promise<readonly ListenerJobs[]> {
  const count = (condition: string) => `count(*) FILTER (WHERE ${condition})`
  const { table } = quotedTable(name)
  const states = inStates('one.is_held')
  const records = await recordsOf(
    run,
    `WITH found AS (
  SELECT ${record({
    listener: 'one.listener_id',
    waiting: count(states.waiting),
    running: count(states.running),
    held: count(states.held),
    dead: count(states.dead),
    done: count(states.done),
    oldest: `extract(epoch FROM min(one.put_at) FILTER (WHERE ${states.waiting})) * 1000`,
  })} FROM (
    SELECT one.*, ${isHeld(table)} AS is_held FROM ${table} AS one WHERE ${IS_JOB} AND NOT ${IS_OVER} OFFSET 0
  ) AS one GROUP BY one.listener_id
)
${recording('found')}`,
    [],
  )
  return records
    .map((found) => {
      const oldest = memberOf(found, 'oldest')
      return {
        listener: fromAscii(textOf(found, 'listener') ?? ''),
        ...countsIn(found),
        oldest: typeof oldest === 'number' ? new Date(oldest) : undefined,
      }
    })
    .toSorted((one, other) => (one.listener < other.listener ? -1 : 1))
}
