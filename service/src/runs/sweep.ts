import type { Dependencies } from '../http/dependencies.ts'

/** The rest waits for the next sweep. */
const MOST_AT_ONCE = 1_000

/**
 * Requeues each unfinished run without a job, e.g. if giving it up failed too, or its job was lost. A run and its job
 * are created and completed in one transaction, so a statement sees both or neither.
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
