import { createRoute, z } from '@hono/zod-openapi'
import { pageOf, pageQuery } from '../http/list.ts'
import { ADDITION, json, refusals } from '../http/router.ts'
import { takes, takesBody } from '../http/takes.ts'
import {
  createTaskRequest,
  searchTasksRequest,
  searchTasksResponse,
  skipStepRequest,
  taskActionSchema,
  taskParams,
  taskResponse,
} from './schema/requests.ts'
import { taskActionResponse } from './schema/view.ts'

const tags = ['Tasks']

/** Specification, 4.1. */
export const skipStepOperation = createRoute({
  method: 'post',
  path: '/api/v1/tasks/{task_id}/action/skip-step',
  operationId: 'svc.api.task.v1.TaskActionsService.SkipStep',
  summary: 'Skip the current step of a task',
  tags,
  ...takes('super_admin', 'operator'),
  request: { params: taskParams, body: { required: true, ...json(skipStepRequest) } },
  responses: {
    200: { description: 'The step is skipped, and the task has moved on.', ...json(taskActionResponse) },
    ...refusals(
      'body_not_json',
      'expand_path_unknown',
      'forbidden',
      'task_unknown',
      'policy_step_unknown',
      'policy_step_done',
      'task_closed',
      'body_too_large',
    ),
  },
})

/** Named by the specification (4.3) as a search operation, and shown no further. */
export const searchOperation = createRoute({
  method: 'post',
  path: '/api/v1/search/tasks',
  operationId: 'searchTasks',
  summary: 'Search tasks, the newest first',
  tags,
  ...ADDITION,
  ...takesBody,
  request: { body: { required: true, ...json(searchTasksRequest) } },
  responses: {
    200: { description: 'One page.', ...json(searchTasksResponse) },
    ...refusals('body_not_json', 'page_token_invalid', 'expand_path_unknown', 'body_too_large'),
  },
})

export const createOperation = createRoute({
  method: 'post',
  path: '/api/v1/tasks',
  operationId: 'createTask',
  summary: 'Create a task, and begin the first step of its policy',
  tags,
  ...ADDITION,
  ...takes('super_admin', 'operator'),
  request: { body: { required: true, ...json(createTaskRequest) } },
  responses: {
    200: { description: 'The task.', ...json(taskResponse) },
    ...refusals(
      'body_not_json',
      'expand_path_unknown',
      'reference_unknown',
      'policy_invalid',
      'forbidden',
      'policy_unknown',
      'policy_rule_failed',
      'body_too_large',
    ),
  },
})

export const readOperation = createRoute({
  method: 'get',
  path: '/api/v1/tasks/{task_id}',
  operationId: 'getTask',
  summary: 'One task, with all that it relates to',
  tags,
  ...ADDITION,
  request: { params: taskParams },
  responses: { 200: { description: 'The task.', ...json(taskResponse) }, ...refusals('task_unknown') },
})

export const listActionsOperation = createRoute({
  method: 'get',
  path: '/api/v1/tasks/{task_id}/actions',
  operationId: 'listTaskActions',
  summary: 'What was done to a task, the oldest first',
  tags,
  ...ADDITION,
  request: { params: taskParams, query: pageQuery },
  responses: {
    200: {
      description: 'One page.',
      ...json(pageOf(z.object({ taskAction: taskActionSchema })).openapi('ListTaskActionsResponse')),
    },
    ...refusals('page_token_invalid', 'task_unknown'),
  },
})
