import type { Queryable } from './database/database.ts'
import type { Dependencies } from './http/dependencies.ts'

const DAY_MS = 86_400_000
const MOST_ROWS = 1_000

const OLD_RUNS = `SELECT id FROM runs WHERE finished_at < $1 ORDER BY finished_at LIMIT ${MOST_ROWS}`

/** Of closed tasks only, so that the trail of an open task is whole. */
const DELETE_AUDITS = `DELETE FROM task_audits WHERE id IN (
    SELECT task_audits.id FROM task_audits JOIN tasks ON tasks.id = task_id
    WHERE task_audits.created_at < $1 AND updated_at < $1 AND tasks.state = 'TASK_STATE_CLOSED'
    ORDER BY task_audits.created_at LIMIT ${MOST_ROWS})
  RETURNING 1`

/** Deletes what is older than the retention: ended runs with their steps and records, and the audits of closed tasks. */
export async function sweepOld(
  dependencies: Pick<Dependencies, 'database' | 'clock' | 'retentionDays'>,
): Promise<void> {
  const { database, clock, retentionDays } = dependencies
  if (retentionDays === undefined) return
  const before = new Date(clock.now() - retentionDays * DAY_MS)
  while ((await database.transaction((tx) => deleteRuns(tx, before))) === MOST_ROWS);
  while ((await database.query(DELETE_AUDITS, [before])).length === MOST_ROWS);
}

async function deleteRuns(tx: Queryable, before: Date): Promise<number> {
  const ids = (await tx.query<{ id: string }>(OLD_RUNS, [before])).map(({ id }) => id)
  for (const [table, column] of [
    ['run_steps', 'run_id'],
    ['records', 'run_id'],
    ['runs', 'id'],
  ]) {
    await tx.query(`DELETE FROM ${table} WHERE ${column} = ANY($1)`, [ids])
  }
  return ids.length
}
