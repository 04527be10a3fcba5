import { createRoute, z } from '@hono/zod-openapi'
import { pageOf, pageQuery } from '../http/list.ts'
import { ADDITION, json, refusals } from '../http/router.ts'
import { takes, takesBody } from '../http/takes.ts'
import { listAuditsRequest, taskAuditSchema } from './audit/schema.ts'
import {
  createTaskRequest,
  searchTasksRequest,
  searchTasksResponse,
  taskActionSchema,
  taskParams,
  taskResponse,
} from './schema/requests.ts'

const tags = ['Tasks']

/** The specification names this search operation, but does not describe it. */
export const searchOperation = createRoute({
  method: 'post',
  path: '/api/v1/search/tasks',
  operationId: 'searchTasks',
  summary: 'Search tasks, newest first',
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
  summary: 'Create a task and begin the first step of its policy',
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
      'evaluation_busy',
      'body_too_large',
    ),
  },
})

export const readOperation = createRoute({
  method: 'get',
  path: '/api/v1/tasks/{task_id}',
  operationId: 'getTask',
  summary: 'Get a task with its related objects',
  tags,
  ...ADDITION,
  request: { params: taskParams },
  responses: { 200: { description: 'The task.', ...json(taskResponse) }, ...refusals('task_unknown') },
})

export const listActionsOperation = createRoute({
  method: 'get',
  path: '/api/v1/tasks/{task_id}/actions',
  operationId: 'listTaskActions',
  summary: 'List the actions on a task, oldest first',
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

export const listAuditsOperation = createRoute({
  method: 'post',
  path: '/api/v1/task/audits',
  operationId: 'listTaskAudits',
  summary: 'List the audit trail of a task, oldest first',
  tags,
  ...ADDITION,
  ...takesBody,
  request: { body: { required: true, ...json(listAuditsRequest) } },
  responses: {
    200: {
      description: 'One page.',
      ...json(pageOf(z.object({ taskAudit: taskAuditSchema })).openapi('ListTaskAuditsResponse')),
    },
    ...refusals('body_not_json', 'page_token_invalid', 'task_unknown', 'body_too_large'),
  },
})
