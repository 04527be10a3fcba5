import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/database/open.ts'

const QUESTION = `SELECT r.event_id AS event, r.id AS run, r.state, r.next_position AS next, r.created_at, r.finished_at,
  (SELECT json_agg(json_build_object('state', s.state, 'error', s.error_code, 'detail', s.error_detail) ORDER BY s.position)
   FROM run_steps s WHERE s.run_id = r.id) AS steps,
  (SELECT json_agg(value) FROM records WHERE run_id = r.id) AS effects,
  (SELECT json_agg(json_build_object('queue', j.name, 'state', j.state, 'attempts', j.retry_count,
     'created', j.created_on, 'started', j.started_on, 'due', j.start_after, 'output', j.output))
   FROM (SELECT name, state, retry_count, created_on, started_on, start_after, output, data FROM pgboss.job
         UNION ALL SELECT name, state, retry_count, created_on, started_on, start_after, output, data FROM pgboss.archive) j
   WHERE j.data->>'runId' = r.id) AS jobs
FROM runs r WHERE r.event_id = ANY ($1::uuid[]) ORDER BY r.number`

/**
 * One line per run of the events that have something lost or twice, as the database has them. The service must have
 * ended, because PGlite has one process.
 */
export async function explain(
  settings: Readonly<Record<string, string>>,
  events: readonly string[],
): Promise<string[]> {
  if (events.length === 0) return []
  const database = await openDatabase(readConfig(settings), () => {})
  const rows = await database.query<{ event: string }>(QUESTION, [events])
  await database.close()
  const without = events.filter((id) => !rows.some(({ event }) => event === id))
  return [
    ...rows.map((row) => JSON.stringify(row)),
    ...without.map((event) => JSON.stringify({ event, run: null })),
  ]
}
