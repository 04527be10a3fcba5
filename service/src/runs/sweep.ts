import type { Dependencies } from '../http/dependencies.ts'

/** More wait for the next sweep. */
const MOST_AT_ONCE = 1_000

/**
 * Queues anew each unfinished run that has no job: one whose giving up failed as often as jobs are tried, or whose job
 * was lost. Runs and their jobs begin and end together, so one statement sees either both or neither.
 */
export async function sweepRuns({ database, jobs }: Pick<Dependencies, 'database' | 'jobs'>): Promise<void> {
  const swept = await database.transaction(async (tx) => {
    const stray = await tx.query<{ id: string }>(
      `SELECT id FROM runs WHERE finished_at IS NULL AND NOT EXISTS (
         SELECT FROM pgboss.job WHERE data->>'runId' = runs.id AND state < 'completed') LIMIT ${MOST_AT_ONCE}`,
    )
    for (const { id } of stray) await jobs.add(tx, id)
    return stray.length
  })
  if (swept > 0) jobs.announce()
}
