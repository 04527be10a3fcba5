import type { Queryable } from '../database/database.ts'
import { READ_CHARACTERS } from './visible.ts'

export interface TaskState {
  readonly number: string
  readonly display_name: string
  readonly state: string
  readonly approver_ids: readonly string[]
  readonly policy: string
  readonly steps: readonly {
    readonly kind: string
    readonly state: string | null
    readonly outcome: string | null
  }[]
}

export interface ListenerState {
  readonly id: string
  readonly automation: string
  readonly enabled: boolean
  readonly published_version: number | null
  readonly jwks_url: string | null
  readonly secrets: number
  readonly allowed_cidrs: readonly string[] | null
}

export interface RunState {
  readonly id: string
  readonly automation: string
  readonly event_id: string
  readonly state: string
  readonly created_at: Date
  readonly input: string
  readonly input_length: number
  readonly steps: readonly {
    readonly type: string
    readonly state: string
    readonly outcome: string | null
    readonly error: string | null
    readonly detail: string | null
  }[]
}

/** What the overview shows, newest first. */
export interface ServiceState {
  readonly tasks: readonly TaskState[]
  readonly listeners: readonly ListenerState[]
  readonly runs: readonly RunState[]
}

const SHOWN = 20

const TASKS = `SELECT t.numeric_id::text AS number, t.display_name, t.state, t.approver_ids, p.display_name AS policy,
    (SELECT coalesce(json_agg(json_build_object('kind', (SELECT min(key) FROM jsonb_object_keys(s.step) AS key),
       'state', s.state, 'outcome', left(s.outcome::text, ${READ_CHARACTERS})) ORDER BY s.position), '[]')
     FROM task_steps s WHERE s.task_id = t.id) AS steps
  FROM tasks t JOIN policies p ON p.id = t.policy_id
  WHERE t.deleted_at IS NULL ORDER BY t.numeric_id DESC LIMIT ${SHOWN}`

const LISTENERS = `SELECT l.id, a.display_name AS automation, l.enabled, a.published_version, l.jwks_url, l.allowed_cidrs,
    (SELECT count(*) FROM listener_secrets WHERE listener_id = l.id)::int AS secrets
  FROM listeners l JOIN automations a ON a.id = l.automation_id
  WHERE a.deleted_at IS NULL ORDER BY a.number DESC LIMIT ${SHOWN}`

/** Reads by automation, because runs are indexed by it. */
const RUNS = `SELECT r.id, a.display_name AS automation, r.event_id, r.state, r.created_at,
    left(r.input, ${READ_CHARACTERS}) AS input, length(r.input) AS input_length,
    (SELECT coalesce(json_agg(json_build_object('type', s.type, 'state', s.state, 'error', s.error_code,
       'detail', s.error_detail, 'outcome', left(s.outcome, ${READ_CHARACTERS})) ORDER BY s.position), '[]')
     FROM run_steps s WHERE s.run_id = r.id) AS steps
  FROM automations a CROSS JOIN LATERAL (
    SELECT * FROM runs WHERE automation_id = a.id ORDER BY number DESC LIMIT ${SHOWN}) r
  ORDER BY r.number DESC LIMIT ${SHOWN}`

export async function readState(database: Queryable): Promise<ServiceState> {
  const [tasks, listeners, runs] = await Promise.all([
    database.query<TaskState>(TASKS),
    database.query<ListenerState>(LISTENERS),
    database.query<RunState>(RUNS),
  ])
  return { tasks, listeners, runs }
}
