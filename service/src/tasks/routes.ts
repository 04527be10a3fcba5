import { createRoute } from '@hono/zod-openapi'
import { rememberedCel } from '../cel/evaluate.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { listPage } from '../http/list.ts'
import { ADDITION, json, newRouter, type Router, refusals } from '../http/router.ts'
import { takes, takesBody } from '../http/takes.ts'
import { taskActionRoutes } from './actions/routes.ts'
import { historyRoutes } from './audit/routes.ts'
import { createTask } from './create-task.ts'
import { foreseeTask } from './plan-task.ts'
import { expandPaths } from './schema/expand.ts'
import {
  createTaskRequest,
  searchTasksRequest,
  searchTasksResponse,
  taskParams,
  taskResponse,
} from './schema/requests.ts'
import { type TaskRow, tasksLike } from './store.ts'
import { viewTask, viewTasks } from './view.ts'

const common = { tags: ['Tasks'], ...ADDITION }
const theTask = { 200: { description: 'The task.', ...json(taskResponse) } }

const createOperation = createRoute({
  method: 'post',
  path: '/api/v1/tasks',
  operationId: 'createTask',
  summary: 'Create a task and begin the first step of its policy',
  ...common,
  ...takes('super_admin', 'operator'),
  request: { body: { required: true, ...json(createTaskRequest) } },
  responses: {
    ...theTask,
    ...refusals(
      'body_not_json',
      'expand_path_unknown',
      'reference_unknown',
      'policy_invalid',
      'forbidden',
      'policy_unknown',
      'policy_rule_failed',
      'evaluation_busy',
      'evaluator_failed',
      'body_too_large',
    ),
  },
})

const readOperation = createRoute({
  method: 'get',
  path: '/api/v1/tasks/{task_id}',
  operationId: 'getTask',
  summary: 'Get a task with its related objects',
  ...common,
  request: { params: taskParams },
  responses: { ...theTask, ...refusals('task_unknown') },
})

/** The specification names this search operation, but does not describe it. */
const searchOperation = createRoute({
  method: 'post',
  path: '/api/v1/search/tasks',
  operationId: 'searchTasks',
  summary: 'Search tasks, newest first',
  ...common,
  ...takesBody,
  request: { body: { required: true, ...json(searchTasksRequest) } },
  responses: {
    200: { description: 'One page.', ...json(searchTasksResponse) },
    ...refusals('body_not_json', 'page_token_invalid', 'expand_path_unknown', 'body_too_large'),
  },
})

const EVERYTHING = expandPaths({ paths: ['*'] })

export function taskRoutes(dependencies: Dependencies): Router {
  const { database } = dependencies
  return newRouter()
    .route('/', taskActionRoutes(dependencies))
    .openapi(createOperation, async (c) => {
      const { caller } = c.var
      const { expandMask, ...given } = c.req.valid('json')
      const [paths, evaluate] = [expandPaths(expandMask), rememberedCel()]
      await foreseeTask(database, given, evaluate)
      const reply = await database.transaction(async (tx) => {
        const id = await createTask(tx, given, caller, { ...dependencies, evaluate })
        return viewTask(tx, id, caller, paths)
      })
      return c.json(reply, 200)
    })
    .openapi(readOperation, async (c) => {
      const { task_id } = c.req.valid('param')
      return c.json(await viewTask(database, task_id, c.var.caller, EVERYTHING), 200)
    })
    .openapi(searchOperation, async (c) => {
      const { taskStates = [], userIds, expandMask, ...request } = c.req.valid('json')
      const show = (rows: TaskRow[]) => viewTasks(database, rows, c.var.caller, expandPaths(expandMask))
      return c.json(await listPage(dependencies, tasksLike(taskStates, userIds), request, show), 200)
    })
    .route('/', historyRoutes(dependencies))
}
