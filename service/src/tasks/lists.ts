import type { z } from '@hono/zod-openapi'
import type { Listing } from '../http/list.ts'
import { iso } from '../http/timestamp.ts'
import type { TaskAudit } from './audit/schema.ts'
import type { taskActionSchema } from './schema/requests.ts'
import { TASK_COLUMNS } from './store.ts'

export interface TaskFilters {
  /** Empty matches any state. */
  readonly taskStates: readonly string[]
  /** Undefined matches any user. */
  readonly userIds: readonly string[] | undefined
}

/** Tasks, newest first. */
export function tasksLike({ taskStates, userIds }: TaskFilters): Listing {
  return {
    select: TASK_COLUMNS,
    where: `deleted_at IS NULL AND (cardinality($1::text[]) = 0 OR state = ANY($1::text[]))
      AND ($2::text[] IS NULL OR user_id = ANY($2::text[]))`,
    params: [taskStates, userIds ?? null],
    keys: ['tasks.numeric_id'],
    order: 'DESC',
  }
}

export interface AuditRow {
  readonly id: string
  readonly task_id: string
  readonly event: string
  readonly action: string
  readonly policy_step_id: string
  readonly comment: string
  readonly outcome: string
  readonly user_id: string
  readonly run_id: string | null
  readonly created_at: Date
}

/** The whole audit trail of a task, oldest first. */
export function auditsOf(taskId: string): Listing {
  return {
    select: '* FROM task_audits',
    where: 'task_id = $1',
    params: [taskId],
    keys: ['number'],
    order: 'ASC',
  }
}

/** The actions of users, and of automations on their behalf. */
export function actionsOf(taskId: string): Listing {
  return { ...auditsOf(taskId), where: "task_id = $1 AND event = 'TASK_AUDIT_EVENT_ACTION'" }
}

export function taskAction(row: AuditRow): z.infer<typeof taskActionSchema> {
  return {
    id: row.id,
    taskId: row.task_id,
    type: row.action,
    policyStepId: row.policy_step_id,
    comment: row.comment,
    userId: row.user_id,
    createdAt: iso(row.created_at),
  }
}

export function taskAudit(row: AuditRow): TaskAudit {
  return {
    id: row.id,
    taskId: row.task_id,
    event: row.event,
    action: row.action,
    policyStepId: row.policy_step_id,
    comment: row.comment,
    outcome: row.outcome,
    userId: row.user_id,
    runId: row.run_id ?? '',
    createdAt: iso(row.created_at),
  }
}
