import { rememberedCel } from '../cel/evaluate.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { derivedKey } from '../http/derived-key.ts'
import { listPage } from '../http/list.ts'
import { PageTokens } from '../http/page-token.ts'
import { newRouter, type Router } from '../http/router.ts'
import { createTask } from './create-task.ts'
import { type ActionRow, actionsOf, taskAction, tasksLike } from './lists.ts'
import {
  createOperation,
  listActionsOperation,
  readOperation,
  searchOperation,
  skipStepOperation,
} from './operations.ts'
import { foreseeTask } from './plan-task.ts'
import { expandPaths } from './schema/expand.ts'
import { skipStep } from './skip-step.ts'
import { findTask, type TaskRow, withSteps } from './store.ts'
import { viewTask, viewTasks } from './view.ts'

const EVERYTHING = expandPaths({ paths: ['*'] })

export function taskRoutes(dependencies: Dependencies): Router {
  return newRouter().route('/', writing(dependencies)).route('/', reading(dependencies))
}

function writing(dependencies: Dependencies): Router {
  const { database } = dependencies
  return newRouter()
    .openapi(skipStepOperation, async (c) => {
      const { caller } = c.var
      const { expandMask, ...step } = c.req.valid('json')
      const [{ task_id: taskId }, paths] = [c.req.valid('param'), expandPaths(expandMask)]
      const reply = await database.transaction(async (tx) => {
        const done = await skipStep(tx, { ...step, taskId, userId: caller.userId }, dependencies)
        const view = await viewTask(tx, await findTask(tx, done.taskId), caller, paths)
        return { ...view, ticketActionId: done.ticketActionId }
      })
      return c.json(reply, 200)
    })
    .openapi(createOperation, async (c) => {
      const { caller } = c.var
      const { expandMask, ...given } = c.req.valid('json')
      const [paths, evaluate] = [expandPaths(expandMask), rememberedCel()]
      await foreseeTask(database, given, evaluate)
      const reply = await database.transaction(async (tx) => {
        const id = await createTask(tx, given, caller.userId, { ...dependencies, evaluate })
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
    .openapi(listActionsOperation, async (c) => {
      const { row } = await findTask(database, c.req.valid('param').task_id)
      const tokens = new PageTokens(key, ['actions', row.id])
      const page = await listPage<ActionRow>(database, actionsOf(row.id), c.req.valid('query'), tokens)
      return c.json(
        {
          list: page.rows.map((each) => ({ taskAction: taskAction(each) })),
          nextPageToken: page.nextPageToken,
        },
        200,
      )
    })
    .openapi(searchOperation, async (c) => {
      const { taskStates = [], userIds, expandMask, ...request } = c.req.valid('json')
      const paths = expandPaths(expandMask)
      const filters = { taskStates, userIds }
      const tokens = new PageTokens(key, ['tasks', taskStates, userIds ?? null])
      const page = await listPage<TaskRow>(database, tasksLike(filters), request, tokens)
      const stored = await withSteps(database, page.rows)
      const { views, expanded } = await viewTasks(database, stored, c.var.caller, paths)
      return c.json({ list: views, nextPageToken: page.nextPageToken, expanded }, 200)
    })
}
