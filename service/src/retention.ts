import { setImmediate as turn } from 'node:timers/promises'
import type { Dependencies } from './http/dependencies.ts'

const DAY_MS = 86_400_000
/** In one statement. A request on PGlite waits for several of these. */
const MOST_ROWS = 250

/** Ended runs with their steps and records. */
const DELETE_RUNS = `WITH old AS (SELECT id FROM runs WHERE finished_at < $1 ORDER BY finished_at LIMIT ${MOST_ROWS}),
    steps AS (DELETE FROM run_steps WHERE run_id IN (SELECT id FROM old)),
    kept AS (DELETE FROM records WHERE run_id IN (SELECT id FROM old))
  DELETE FROM runs WHERE id IN (SELECT id FROM old) RETURNING 1`

/** Of closed tasks only, so that the trail of an open task is whole. */
const DELETE_AUDITS = `DELETE FROM task_audits WHERE id IN (
    SELECT task_audits.id FROM task_audits JOIN tasks ON tasks.id = task_id
    WHERE task_audits.created_at < $1 AND updated_at < $1 AND tasks.state = 'TASK_STATE_CLOSED'
    ORDER BY task_audits.created_at LIMIT ${MOST_ROWS})
  RETURNING 1`

/** Deletes what is older than the retention: ended runs with their steps and records, and the audits of closed tasks. */
export async function sweepOld({ database, clock, config }: Dependencies): Promise<void> {
  const days = config.SERVICE_RETENTION_DAYS
  if (days === undefined) return
  const before = new Date(clock.now() - days * DAY_MS)
  for (const deletion of [DELETE_RUNS, DELETE_AUDITS])
    while ((await database.query(deletion, [before])).length === MOST_ROWS) await turn() // PGlite alone lets nothing else run
}
