import type { Queryable, Transaction } from '../database/database.ts'
import { Problem } from '../http/problem.ts'
import type { StoredStep } from '../policies/step.ts'
import type { PolicyRow } from '../policies/store.ts'
import type { Task } from './schema/task.ts'
import type { TaskKind } from './schema/task-type.ts'

export interface TaskRow {
  readonly id: string
  readonly numeric_id: string
  readonly display_name: string
  readonly description: string
  readonly state: string
  readonly processing: string
  readonly origin: string
  /** The type's only set member, as in responses. */
  readonly type: object
  readonly user_id: string
  readonly created_by_user_id: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly deleted_at: Date | null
  readonly annotations: Task['annotations']
  readonly approver_ids: string[]
  readonly comment_count: number
  readonly data: Task['data']
  readonly emergency_access: boolean
  readonly form: Task['form']
  readonly insight_ids: string[]
  readonly recommendation: string
  readonly analysis_id: string
  readonly policy_id: string
  readonly policy_generation_id: string
  readonly revocation_targets: Task['revocationTargets']
}

export interface StepRow {
  readonly task_id: string
  readonly step: StoredStep
  /** Both null until the step begins. */
  readonly instance_id: string | null
  readonly state: string | null
  readonly outcome: object | null
}

/** A task with its steps and its policy. */
export interface StoredTask {
  readonly row: TaskRow
  /** In the order of the workflow. */
  readonly steps: readonly StepRow[]
  /**
   * The policy generation that it runs under. Undefined if the task began before generations were stored and the policy
   * has changed since.
   */
  readonly policy: PolicyRow | undefined
}

/** The rest of a SELECT. The last `numeric_id` wins over that of `*`, so it is text. */
export const TASK_COLUMNS = 'tasks.*, numeric_id::text AS numeric_id FROM tasks'

/** Up to eighteen digits always fit a bigint and are never a UUID. */
const NUMERIC = /^[1-9]\d{0,17}$/

const FOUND = '(id = $1 OR numeric_id = $2) AND deleted_at IS NULL'

function idValues(idOrNumber: string): [string, string | null] {
  return [idOrNumber, NUMERIC.test(idOrNumber) ? idOrNumber : null]
}

/** @throws Problem `task_unknown`. */
export async function findTask(database: Queryable, idOrNumber: string): Promise<StoredTask> {
  const rows = await database.query<TaskRow>(`SELECT ${TASK_COLUMNS} WHERE ${FOUND}`, idValues(idOrNumber))
  const [task] = await withSteps(database, rows)
  return task ?? refuseUnknown()
}

/** A task that is locked until the transaction ends. */
export interface LockedTask {
  readonly id: string
  readonly state: string
  /** The member of its type that is set. */
  readonly kind: TaskKind
}

/** @throws Problem `task_unknown`. */
export async function lockTask(tx: Transaction, idOrNumber: string): Promise<LockedTask> {
  const [row] = await tx.query<LockedTask>(
    `SELECT id, state, (SELECT * FROM jsonb_object_keys(type)) AS kind FROM tasks WHERE ${FOUND} FOR UPDATE`,
    idValues(idOrNumber),
  )
  return row ?? refuseUnknown()
}

/** Reads the steps and policies of many tasks, with one statement each. */
export async function withSteps(database: Queryable, rows: readonly TaskRow[]): Promise<StoredTask[]> {
  const steps = await database.query<StepRow>(
    'SELECT * FROM task_steps WHERE task_id = ANY($1::text[]) ORDER BY task_id, position',
    [rows.map(({ id }) => id)],
  )
  const policies = await database.query<PolicyRow>(
    'SELECT * FROM policy_generations WHERE generation_id = ANY($1::text[])',
    [[...new Set(rows.map(({ policy_generation_id }) => policy_generation_id))]],
  )
  return rows.map((row) => ({
    row,
    steps: steps.filter(({ task_id }) => task_id === row.id),
    policy: policies.find(({ generation_id }) => generation_id === row.policy_generation_id),
  }))
}

function refuseUnknown(): never {
  throw new Problem('task_unknown', 'No task has this ID or numeric ID.')
}
