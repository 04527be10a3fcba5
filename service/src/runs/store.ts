import type { Queryable } from '../database/database.ts'
import type { Listing } from '../http/list.ts'
import { iso } from '../http/timestamp.ts'
import type { Run, RunStep } from './schema.ts'

export interface RunRow extends Omit<Run, 'steps' | 'createdAt' | 'finishedAt'> {
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

interface RunStepRow extends Omit<RunStep, 'finishedAt'> {
  readonly runId: string
  readonly finishedAt: Date
}

const RUN = `id, automation_id AS "automationId", version, listener_id AS "listenerId", event_id AS "eventId", input, state,
  created_at AS "createdAt", finished_at AS "finishedAt" FROM runs`
const RECORD = 'id, run_id AS "runId", value, created_at AS "createdAt" FROM records'

/** What an automation has done, newest first. */
export function listingOf(kind: 'runs' | 'records', automationId: string): Listing {
  return {
    name: kind,
    select: kind === 'runs' ? RUN : RECORD,
    where: 'automation_id = $1',
    params: [automationId],
    keys: ['number'],
    order: 'DESC',
  }
}

export async function findRun(database: Queryable, id: string): Promise<RunRow | undefined> {
  const [row] = await database.query<RunRow>(`SELECT ${RUN} WHERE id = $1`, [id])
  return row
}

/** The runs as the API shows them. Reads the steps of all runs in one statement. */
export async function shownRuns(database: Queryable, rows: readonly RunRow[]): Promise<Run[]> {
  const steps = await database.query<RunStepRow>(
    `SELECT run_id AS "runId", type, state, outcome,
       CASE WHEN error_code IS NOT NULL THEN json_build_object('code', error_code, 'detail', error_detail) END AS error,
       finished_at AS "finishedAt"
     FROM run_steps WHERE run_id = ANY ($1) ORDER BY position`,
    [rows.map(({ id }) => id)],
  )
  const stepsOf = (id: string) =>
    steps
      .filter(({ runId }) => runId === id)
      .map(({ runId, finishedAt, ...step }) => ({ ...step, finishedAt: iso(finishedAt) }))
  return rows.map(({ createdAt, finishedAt, ...run }) => ({
    ...run,
    steps: stepsOf(run.id),
    createdAt: iso(createdAt),
    finishedAt: iso(finishedAt),
  }))
}
