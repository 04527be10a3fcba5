import type { Queryable } from '../database/database.ts'
import { READ_CHARACTERS } from './visible.ts'

/** A step of a task or of a run. */
export interface Step {
  readonly name: string
  readonly state: string
  /** Its outcome or error. Null if it has none yet. */
  readonly end: string | null
}

export interface Task {
  readonly number: string
  readonly name: string
  readonly state: string
  readonly approver_ids: readonly string[]
  readonly policy: string
  readonly steps: readonly Step[]
}

export interface Run {
  readonly id: string
  readonly automation: string
  readonly event_id: string
  readonly state: string
  readonly created_at: Date
  readonly input: string
  readonly steps: readonly Step[]
}

export interface Listener {
  readonly id: string
  readonly automation: string
  /** Whether its automation is published and enabled. */
  readonly runs: boolean
  readonly jwks_url: string | null
  readonly secrets: number
  readonly allowed_cidrs: readonly string[] | null
}

const SHOWN = 20

const TASKS = `SELECT t.numeric_id::text AS number, t.display_name AS name, t.state, t.approver_ids,
    p.display_name AS policy,
    (SELECT coalesce(json_agg(json_build_object('name', (SELECT min(key) FROM jsonb_object_keys(s.step) AS key),
       'state', coalesce(s.state, 'TO COME'), 'end', left(s.outcome::text, ${READ_CHARACTERS})) ORDER BY s.position), '[]')
     FROM task_steps s WHERE s.task_id = t.id) AS steps
  FROM tasks t JOIN policies p ON p.id = t.policy_id
  WHERE t.deleted_at IS NULL ORDER BY t.numeric_id DESC LIMIT ${SHOWN}`

/** Reads by automation, because runs are indexed by it. */
const RUNS = `SELECT r.id, a.display_name AS automation, r.event_id, r.state, r.created_at,
    left(r.input, ${READ_CHARACTERS}) AS input,
    (SELECT coalesce(json_agg(json_build_object('name', s.type, 'state', s.state,
       'end', coalesce(s.error_code || ': ' || s.error_detail, left(s.outcome, ${READ_CHARACTERS}))) ORDER BY s.position), '[]')
     FROM run_steps s WHERE s.run_id = r.id) AS steps
  FROM automations a CROSS JOIN LATERAL (
    SELECT * FROM runs WHERE automation_id = a.id ORDER BY number DESC LIMIT ${SHOWN}) r
  ORDER BY r.number DESC LIMIT ${SHOWN}`

const LISTENERS = `SELECT l.id, a.display_name AS automation, l.jwks_url, l.allowed_cidrs,
    l.enabled AND a.published_version IS NOT NULL AS runs,
    (SELECT count(*) FROM listener_secrets WHERE listener_id = l.id)::int AS secrets
  FROM listeners l JOIN automations a ON a.id = l.automation_id
  WHERE a.deleted_at IS NULL ORDER BY a.number DESC LIMIT ${SHOWN}`

/** What the overview shows, newest first. */
export async function readState(database: Queryable) {
  const [tasks, runs, listeners] = await Promise.all([
    database.query<Task>(TASKS),
    database.query<Run>(RUNS),
    database.query<Listener>(LISTENERS),
  ])
  return { tasks, runs, listeners }
}
