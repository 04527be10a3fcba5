import { createRoute, z } from '@hono/zod-openapi'
import type { Dependencies } from '../../http/dependencies.ts'
import { type Listing, listPage, pageOf, pageQuery } from '../../http/list.ts'
import { ADDITION, json, newRouter, type Router, refusals } from '../../http/router.ts'
import { takesBody } from '../../http/takes.ts'
import { type Dated, withIso } from '../../http/timestamp.ts'
import { taskParams } from '../schema/requests.ts'
import { findTask } from '../store.ts'
import {
  listAuditsRequest,
  type TaskAction,
  type TaskAudit,
  taskActionSchema,
  taskAuditSchema,
} from './schema.ts'

const common = { tags: ['Tasks'], ...ADDITION }

const listActionsOperation = createRoute({
  method: 'get',
  path: '/api/v1/tasks/{task_id}/actions',
  operationId: 'listTaskActions',
  summary: 'List the actions on a task, oldest first',
  ...common,
  request: { params: taskParams, query: pageQuery },
  responses: {
    200: {
      description: 'One page.',
      ...json(pageOf(z.object({ taskAction: taskActionSchema })).openapi('ListTaskActionsResponse')),
    },
    ...refusals('page_token_invalid', 'task_unknown'),
  },
})

const listAuditsOperation = createRoute({
  method: 'post',
  path: '/api/v1/task/audits',
  operationId: 'listTaskAudits',
  summary: 'List the audit trail of a task, oldest first',
  ...common,
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

/** The whole audit trail of a task, oldest first, under the names of the response. */
function auditsOf(taskId: string): Listing {
  return {
    name: 'audits',
    select: `id, task_id AS "taskId", event, action, policy_step_id AS "policyStepId", comment, outcome,
      user_id AS "userId", coalesce(run_id, '') AS "runId", created_at AS "createdAt" FROM task_audits`,
    where: 'task_id = $1',
    params: [taskId],
    keys: ['number'],
    order: 'ASC',
  }
}

/** The actions of users, and of automations on their behalf. */
function actionsOf(taskId: string): Listing {
  return {
    ...auditsOf(taskId),
    name: 'actions',
    select: `id, task_id AS "taskId", action AS type, policy_step_id AS "policyStepId", comment,
      user_id AS "userId", created_at AS "createdAt" FROM task_audits`,
    where: "task_id = $1 AND event = 'TASK_AUDIT_EVENT_ACTION'",
  }
}

export function historyRoutes(dependencies: Dependencies): Router {
  const { database } = dependencies
  return newRouter()
    .openapi(listActionsOperation, async (c) => {
      const task = await findTask(database, c.req.valid('param').task_id)
      const show = (rows: Dated<TaskAction>[]) => ({
        list: rows.map((row) => ({ taskAction: withIso(row) })),
      })
      return c.json(await listPage(dependencies, actionsOf(task.id), c.req.valid('query'), show), 200)
    })
    .openapi(listAuditsOperation, async (c) => {
      const { taskId, ...request } = c.req.valid('json')
      const task = await findTask(database, taskId)
      const show = (rows: Dated<TaskAudit>[]) => ({
        list: rows.map((row) => ({ taskAudit: withIso(row) })),
      })
      return c.json(await listPage(dependencies, auditsOf(task.id), request, show), 200)
    })
}
