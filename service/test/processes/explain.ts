import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/database/open.ts'

const QUESTION = `SELECT r.event_id AS event, r.id AS run, r.state, r.next_position AS next, r.created_at, r.finished_at, r.attempts, r.due_at,
  (SELECT json_agg(json_build_object('state', s.state, 'error', s.error_code, 'detail', s.error_detail) ORDER BY s.position)
   FROM run_steps s WHERE s.run_id = r.id) AS steps,
  (SELECT json_agg(value) FROM records WHERE run_id = r.id) AS effects
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
