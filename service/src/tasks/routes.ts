import { rememberedCel } from '../cel/evaluate.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { derivedKey } from '../http/derived-key.ts'
import { listPage } from '../http/list.ts'
import { PageTokens } from '../http/page-token.ts'
import { newRouter, type Router } from '../http/router.ts'
import { taskActionRoutes } from './actions/routes.ts'
import { createTask } from './create-task.ts'
import { type AuditRow, actionsOf, auditsOf, taskAction, taskAudit, tasksLike } from './lists.ts'
import {
  createOperation,
  listActionsOperation,
  listAuditsOperation,
  readOperation,
  searchOperation,
} from './operations.ts'
import { foreseeTask } from './plan-task.ts'
import { expandPaths } from './schema/expand.ts'
import { findTask, type TaskRow, withSteps } from './store.ts'
import { taskOf } from './task.ts'
import { viewTask, viewTasks } from './view.ts'

const EVERYTHING = expandPaths({ paths: ['*'] })

export function taskRoutes(dependencies: Dependencies): Router {
  return newRouter()
    .route('/', taskActionRoutes(dependencies))
    .route('/', writing(dependencies))
    .route('/', reading(dependencies))
    .route('/', history(dependencies))
}

function writing(dependencies: Dependencies): Router {
  const { database } = dependencies
  return newRouter().openapi(createOperation, async (c) => {
    const { caller } = c.var
    const { expandMask, ...given } = c.req.valid('json')
    const [paths, evaluate] = [expandPaths(expandMask), rememberedCel()]
    await foreseeTask(database, given, evaluate)
    const reply = await database.transaction(async (tx) => {
      const id = await createTask(tx, given, caller, { ...dependencies, evaluate })
      return viewTask(tx, await findTask(tx, id), caller, paths)
    })
    return c.json(reply, 200)
  })
}

function reading({ database, secret }: Dependencies): Router {
  const key = derivedKey(secret, 'page tokens')
  return newRouter()
    .openapi(readOperation, async (c) => {
      const stored = await findTask(database, c.req.valid('param').task_id)
      return c.json(await viewTask(database, stored, c.var.caller, EVERYTHING), 200)
    })
    .openapi(searchOperation, async (c) => {
      const { taskStates = [], userIds, expandMask, ...request } = c.req.valid('json')
      const tokens = new PageTokens(key, ['tasks', taskStates, userIds ?? null])
      const show = async (rows: TaskRow[]) => {
        const tasks = (await withSteps(database, rows)).map((stored) => taskOf(stored, c.var.caller))
        return viewTasks(database, tasks, c.var.caller, expandPaths(expandMask))
      }
      return c.json(await listPage(database, tasksLike({ taskStates, userIds }), request, tokens, show), 200)
    })
}

function history({ database, secret }: Dependencies): Router {
  const key = derivedKey(secret, 'page tokens')
  return newRouter()
    .openapi(listActionsOperation, async (c) => {
      const { row } = await findTask(database, c.req.valid('param').task_id)
      const tokens = new PageTokens(key, ['actions', row.id])
      const show = (rows: AuditRow[]) => ({ list: rows.map((each) => ({ taskAction: taskAction(each) })) })
      return c.json(await listPage(database, actionsOf(row.id), c.req.valid('query'), tokens, show), 200)
    })
    .openapi(listAuditsOperation, async (c) => {
      const { taskId, ...request } = c.req.valid('json')
      const { row } = await findTask(database, taskId)
      const tokens = new PageTokens(key, ['audits', row.id])
      const show = (rows: AuditRow[]) => ({ list: rows.map((each) => ({ taskAudit: taskAudit(each) })) })
      return c.json(await listPage(database, auditsOf(row.id), request, tokens, show), 200)
    })
}
