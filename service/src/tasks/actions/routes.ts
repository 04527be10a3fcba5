import type { Transaction } from '../../database/database.ts'
import type { Caller } from '../../http/bearer.ts'
import type { Dependencies } from '../../http/dependencies.ts'
import { newRouter, type Router } from '../../http/router.ts'
import { type ExpandMask, expandPaths } from '../schema/expand.ts'
import { findTask } from '../store.ts'
import { viewTask } from '../view.ts'
import type { Acted } from './act.ts'
import { approve, deny } from './decide.ts'
import {
  approveOperation,
  closeOperation,
  commentOperation,
  denyOperation,
  reassignOperation,
  restartOperation,
  skipStepOperation,
} from './operations.ts'
import { reassign } from './reassign.ts'
import { skipStep } from './skip-step.ts'
import { close, comment, restart } from './whole-task.ts'

export function taskActionRoutes(dependencies: Dependencies): Router {
  return newRouter().route('/', stepActions(dependencies)).route('/', otherActions(dependencies))
}

/** Performs the action and reads the resulting task, in one transaction. */
function answering({ database }: Dependencies) {
  return async (
    { caller, expandMask }: { readonly caller: Caller; readonly expandMask?: ExpandMask | null | undefined },
    act: (tx: Transaction) => Promise<Acted>,
  ) => {
    const paths = expandPaths(expandMask)
    return database.transaction(async (tx) => {
      const { taskId, ticketActionId } = await act(tx)
      return { ...(await viewTask(tx, await findTask(tx, taskId), caller, paths)), ticketActionId }
    })
  }
}

function stepActions(dependencies: Dependencies): Router {
  const answer = answering(dependencies)
  return newRouter()
    .openapi(skipStepOperation, async (c) => {
      const [{ task_id: taskId }, { caller }] = [c.req.valid('param'), c.var]
      const request = { ...c.req.valid('json'), taskId, caller }
      return c.json(await answer(request, (tx) => skipStep(tx, request, dependencies)), 200)
    })
    .openapi(approveOperation, async (c) => {
      const [{ task_id: taskId }, { caller }] = [c.req.valid('param'), c.var]
      const request = { ...c.req.valid('json'), taskId, caller }
      return c.json(await answer(request, (tx) => approve(tx, request, dependencies)), 200)
    })
    .openapi(denyOperation, async (c) => {
      const [{ task_id: taskId }, { caller }] = [c.req.valid('param'), c.var]
      const request = { ...c.req.valid('json'), taskId, caller }
      return c.json(await answer(request, (tx) => deny(tx, request, dependencies)), 200)
    })
    .openapi(reassignOperation, async (c) => {
      const [{ task_id: taskId }, { caller }] = [c.req.valid('param'), c.var]
      const request = { ...c.req.valid('json'), taskId, caller }
      return c.json(await answer(request, (tx) => reassign(tx, request, dependencies)), 200)
    })
}

function otherActions(dependencies: Dependencies): Router {
  const answer = answering(dependencies)
  return newRouter()
    .openapi(commentOperation, async (c) => {
      const [{ task_id: taskId }, { caller }] = [c.req.valid('param'), c.var]
      const request = { ...c.req.valid('json'), taskId, caller }
      return c.json(await answer(request, (tx) => comment(tx, request, dependencies)), 200)
    })
    .openapi(restartOperation, async (c) => {
      const [{ task_id: taskId }, { caller }] = [c.req.valid('param'), c.var]
      const request = { ...c.req.valid('json'), taskId, caller }
      return c.json(await answer(request, (tx) => restart(tx, request, dependencies)), 200)
    })
    .openapi(closeOperation, async (c) => {
      const [{ task_id: taskId }, { caller }] = [c.req.valid('param'), c.var]
      const request = { ...c.req.valid('json'), taskId, caller }
      return c.json(await answer(request, (tx) => close(tx, request, dependencies)), 200)
    })
}
