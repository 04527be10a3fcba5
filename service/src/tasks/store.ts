import type { Queryable, Transaction } from '../database/database.ts'
import type { Listing } from '../http/list.ts'
import { Problem } from '../http/problem.ts'
import type { Policy } from '../policies/schema.ts'
import type { StoredStep } from '../policies/step.ts'
import { type PolicyRow, policyOf } from '../policies/store.ts'
import type { Task } from './schema/task.ts'
import type { TaskKind } from './schema/task-type.ts'

/** A task as stored, under the names of the response. */
export interface TaskRow extends Omit<Task, 'type' | 'createdAt' | 'updatedAt' | 'deletedAt'> {
  /** Only the member that is set. */
  readonly type: object
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly deletedAt: Date | null
  /** The policy generation that its steps come from. */
  readonly workflowGenerationId: string
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
  readonly policy: Policy | undefined
}

/** The rest of a SELECT, in the order of the response. Null where the response computes the value. */
const TASK_COLUMNS = `id, numeric_id::text AS "numericId", display_name AS "displayName", description, state,
  processing, origin, type, user_id AS "userId", created_by_user_id AS "createdByUserId", created_at AS "createdAt",
  updated_at AS "updatedAt", deleted_at AS "deletedAt", NULL AS actions, approver_ids AS "approverIds",
  NULL AS "stepApproverIds", comment_count AS "commentCount", NULL AS policy,
  policy_generation_id AS "policyGenerationId", annotations, data, emergency_access AS "emergencyAccess",
  NULL AS "externalRefs", form, insight_ids AS "insightIds", recommendation, analysis_id AS "analysisId",
  revocation_targets AS "revocationTargets",
  coalesce(workflow_generation_id, policy_generation_id) AS "workflowGenerationId" FROM tasks`

/** Up to eighteen digits always fit a bigint and are never a UUID. */
const NUMERIC = /^[1-9]\d{0,17}$/

const FOUND = '(id = $1 OR numeric_id = $2) AND deleted_at IS NULL'

function idValues(idOrNumber: string): [string, string | null] {
  return [idOrNumber, NUMERIC.test(idOrNumber) ? idOrNumber : null]
}

/** @throws Problem `task_unknown`. */
export async function findTask(database: Queryable, idOrNumber: string): Promise<TaskRow> {
  const [row] = await database.query<TaskRow>(`SELECT ${TASK_COLUMNS} WHERE ${FOUND}`, idValues(idOrNumber))
  return row ?? refuseUnknown()
}

/** Tasks, newest first. @param states Empty matches any state. @param userIds Undefined matches any user. */
export function tasksLike(states: readonly string[], userIds: readonly string[] | undefined): Listing {
  return {
    name: 'tasks',
    select: TASK_COLUMNS,
    where: `deleted_at IS NULL AND (cardinality($1::text[]) = 0 OR state = ANY($1::text[]))
      AND ($2::text[] IS NULL OR user_id = ANY($2::text[]))`,
    params: [states, userIds ?? null],
    keys: ['tasks.numeric_id'],
    order: 'DESC',
  }
}

/** A task that is locked until the transaction ends. */
export interface LockedTask {
  readonly id: string
  readonly state: string
  /** The member of its type that is set. */
  readonly kind: TaskKind
  /** The steps that its policy selected. */
  readonly workflow: readonly StoredStep[]
}

/** @throws Problem `task_unknown`. */
export async function lockTask(tx: Transaction, idOrNumber: string): Promise<LockedTask> {
  const [row] = await tx.query<LockedTask>(
    `SELECT id, state, (SELECT * FROM jsonb_object_keys(type)) AS kind, workflow FROM tasks WHERE ${FOUND} FOR UPDATE`,
    idValues(idOrNumber),
  )
  return row ?? refuseUnknown()
}

/** Reads the steps and policies of many tasks, with one statement each. */
export async function withSteps(database: Queryable, rows: readonly TaskRow[]): Promise<StoredTask[]> {
  const steps = await database.query<StepRow>(
    `SELECT task_id, step, instance_id, state, outcome FROM task_steps
     WHERE task_id = ANY($1::text[]) ORDER BY task_id, position`,
    [rows.map(({ id }) => id)],
  )
  const policies = await database.query<PolicyRow>(
    'SELECT * FROM policy_generations WHERE generation_id = ANY($1::text[])',
    [[...new Set(rows.map(({ policyGenerationId }) => policyGenerationId))]],
  )
  // Tasks that run under the same generation share it, because it may be large.
  const byId = new Map(policies.map((policy) => [policy.generation_id, policyOf(policy)]))
  return rows.map((row) => ({
    row,
    steps: steps.filter(({ task_id }) => task_id === row.id),
    policy: byId.get(row.policyGenerationId),
  }))
}

function refuseUnknown(): never {
  throw new Problem('task_unknown', 'No task has this ID or numeric ID.')
}
