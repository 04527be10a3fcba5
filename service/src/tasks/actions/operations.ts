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

/** All actions are alike: at one family of paths, for the same roles, with the same answer (specification, 2.3). */
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
      200: { description: 'The task as it is now.', ...json(taskActionResponse) },
      ...refusals(...ALWAYS, ...codes),
    },
  })
}

interface ActionDescription<Schema> {
  readonly method: string
  readonly summary: string
  readonly schema: Schema
  /** What it refuses, beyond what every action does. Default: whatever is wrong with the step. */
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
    summary: 'Begin the current step anew, for other approvers',
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
    summary: 'Begin the workflow of a task anew',
    schema: restartRequest,
  }),
  ...ADDITION,
}
