import { createRoute, type z } from '@hono/zod-openapi'
import type { ProblemCode } from '../../http/problem.ts'
import { ADDITION, json, refusals } from '../../http/router.ts'
import { takes } from '../../http/takes.ts'
import { taskParams } from '../schema/requests.ts'
import { taskActionResponse } from '../schema/view.ts'
import {
  approveRequest,
  closeRequest,
  commentRequest,
  denyRequest,
  reassignRequest,
  restartRequest,
  skipStepRequest,
} from './schema.ts'

const ALWAYS: readonly ProblemCode[] = [
  'body_not_json',
  'expand_path_unknown',
  'forbidden',
  'task_unknown',
  'body_too_large',
]
const OF_STEPS: readonly ProblemCode[] = ['policy_step_unknown', 'policy_step_done', 'task_closed']

/** Every action has the same form of path, the same roles and the same response (specification, 2.3). */
function action<const Name extends string, Schema extends z.ZodType>(
  name: Name,
  { method, summary, schema, codes = OF_STEPS }: ActionDescription<Schema>,
) {
  return createRoute({
    method: 'post',
    path: `/api/v1/tasks/{task_id}/action/${name}`,
    operationId: `svc.api.task.v1.TaskActionsService.${method}`,
    summary,
    tags: ['Task actions'],
    ...takes('super_admin', 'operator'),
    request: { params: taskParams, body: { required: true, ...json(schema) } },
    responses: {
      200: { description: 'The task after the action.', ...json(taskActionResponse) },
      ...refusals(...ALWAYS, ...codes),
    },
  })
}

interface ActionDescription<Schema> {
  readonly method: string
  readonly summary: string
  readonly schema: Schema
  /** Its own refusals. Default: those about the step. */
  readonly codes?: readonly ProblemCode[]
}

/** Specification, 4.1. */
export const skipStepOperation = action('skip-step', {
  method: 'SkipStep',
  summary: 'Skip the current step of a task',
  schema: skipStepRequest,
})

export const approveOperation = {
  ...action('approve', { method: 'Approve', summary: 'Approve the current step', schema: approveRequest }),
  ...ADDITION,
}

export const denyOperation = {
  ...action('deny', {
    method: 'Deny',
    summary: 'Deny the current step, which closes the task',
    schema: denyRequest,
  }),
  ...ADDITION,
}

export const reassignOperation = {
  ...action('reassign', {
    method: 'Reassign',
    summary: 'Reassign the current step to other approvers',
    schema: reassignRequest,
    codes: [...OF_STEPS, 'policy_step_unassigned', 'reference_unknown'],
  }),
  ...ADDITION,
}

export const commentOperation = {
  ...action('comment', {
    method: 'Comment',
    summary: 'Comment on a task, open or closed',
    schema: commentRequest,
    codes: [],
  }),
  ...ADDITION,
}

export const closeOperation = {
  ...action('close', {
    method: 'Close',
    summary: 'Cancel a task',
    schema: closeRequest,
    codes: ['task_closed'],
  }),
  ...ADDITION,
}

export const restartOperation = {
  ...action('restart', {
    method: 'Restart',
    summary: 'Restart the workflow of a task',
    schema: restartRequest,
  }),
  ...ADDITION,
}
