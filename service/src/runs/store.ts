import type { Queryable } from '../database/database.ts'
import type { Listing } from '../http/list.ts'
import { iso } from '../http/timestamp.ts'
import type { RecordResource, Run, RunStep } from './schema.ts'

export interface RunRow {
  readonly id: string
  readonly automation_id: string
  readonly version: number
  readonly listener_id: string
  readonly event_id: string
  readonly input: string
  readonly state: string
  readonly created_at: Date
  readonly finished_at: Date | null
}

interface RunStepRow {
  readonly run_id: string
  readonly type: string
  readonly state: string
  readonly outcome: string | null
  readonly error_code: string | null
  readonly error_detail: string | null
  readonly finished_at: Date
}

export interface RecordRow {
  readonly id: string
  readonly run_id: string
  readonly value: string
  readonly created_at: Date
}

const RUN =
  'id, automation_id, version, listener_id, event_id, input, state, created_at, finished_at FROM runs'

/** Newest first. */
export function runsOf(automationId: string): Listing {
  return { select: RUN, where: 'automation_id = $1', params: [automationId], keys: ['number'], order: 'DESC' }
}

export function recordsOf(automationId: string): Listing {
  const select = 'id, run_id, value, created_at FROM records'
  return { select, where: 'automation_id = $1', params: [automationId], keys: ['number'], order: 'DESC' }
}

export async function findRun(database: Queryable, id: string): Promise<RunRow | undefined> {
  const [row] = await database.query<RunRow>(`SELECT ${RUN} WHERE id = $1`, [id])
  return row
}

/** The runs as the API shows them. Reads the steps of all runs in one statement. */
export async function shownRuns(database: Queryable, rows: readonly RunRow[]): Promise<Run[]> {
  const steps = await database.query<RunStepRow>(
    `SELECT run_id, type, state, outcome, error_code, error_detail, finished_at FROM run_steps
     WHERE run_id = ANY ($1) ORDER BY position`,
    [rows.map(({ id }) => id)],
  )
  return rows.map((row) => ({
    id: row.id,
    automationId: row.automation_id,
    version: row.version,
    listenerId: row.listener_id,
    eventId: row.event_id,
    input: row.input,
    state: row.state,
    steps: steps.filter(({ run_id }) => run_id === row.id).map(shownStep),
    createdAt: iso(row.created_at),
    finishedAt: iso(row.finished_at),
  }))
}

function shownStep({ type, state, outcome, error_code, error_detail, finished_at }: RunStepRow): RunStep {
  const error = error_code === null ? null : { code: error_code, detail: error_detail ?? '' }
  return { type, state, outcome, error, finishedAt: iso(finished_at) }
}

export function shownRecord({ id, run_id, value, created_at }: RecordRow): RecordResource {
  return { id, runId: run_id, value, createdAt: iso(created_at) }
}
