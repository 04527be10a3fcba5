import type { z } from '@hono/zod-openapi'
import type { Listing } from '../http/list.ts'
import { iso } from '../http/timestamp.ts'
import type { taskActionSchema } from './schema/requests.ts'
import { TASK_COLUMNS } from './store.ts'

export interface TaskFilters {
  /** Empty: any. */
  readonly taskStates: readonly string[]
  /** Undefined: anybody's. */
  readonly userIds: readonly string[] | undefined
}

/** Tasks, the newest first. */
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

export interface ActionRow {
  readonly id: string
  readonly task_id: string
  readonly type: string
  readonly policy_step_id: string
  readonly comment: string
  readonly user_id: string
  readonly created_at: Date
}

export function actionsOf(taskId: string): Listing {
  return {
    select: '* FROM task_actions',
    where: 'task_id = $1',
    params: [taskId],
    keys: ['number'],
    order: 'ASC',
  }
}

export function taskAction(row: ActionRow): z.infer<typeof taskActionSchema> {
  return {
    id: row.id,
    taskId: row.task_id,
    type: row.type,
    policyStepId: row.policy_step_id,
    comment: row.comment,
    userId: row.user_id,
    createdAt: iso(row.created_at),
  }
}
