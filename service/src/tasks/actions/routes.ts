import { createRoute, type z } from '@hono/zod-openapi'
import type { Dependencies } from '../../http/dependencies.ts'
import type { ProblemCode } from '../../http/problem.ts'
import { ADDITION, json, newRouter, type Router, refusals } from '../../http/router.ts'
import { takes } from '../../http/takes.ts'
import { momentOf } from '../audit/record.ts'
import { type ExpandMask, expandPaths } from '../schema/expand.ts'
import { taskParams } from '../schema/requests.ts'
import { taskActionResponse } from '../schema/view.ts'
import { viewTask } from '../view.ts'
import type { Action, ActionRequest } from './act.ts'
import { approve, deny } from './decide.ts'
import { reassign } from './reassign.ts'
import { newApprovers, newComment, ofStep, restarting, wholeTask } from './schema.ts'
import { skipStep } from './skip-step.ts'
import { close, comment, restart } from './whole-task.ts'

const ALWAYS: readonly ProblemCode[] = [
  'body_not_json',
  'expand_path_unknown',
  'forbidden',
  'task_unknown',
  'body_too_large',
]
const OF_STEPS: readonly ProblemCode[] = ['policy_step_unknown', 'policy_step_done', 'task_closed']

export function taskActionRoutes(dependencies: Dependencies): Router {
  const router = newRouter()
  const add = adding(router, dependencies)
  add('skip-step', 'SkipStep', 'Skip the current step of a task', ofStep, skipStep)
  add('approve', 'Approve', 'Approve the current step', ofStep, approve)
  add('deny', 'Deny', 'Deny the current step, which closes the task', ofStep, deny)
  add('reassign', 'Reassign', 'Reassign the current step to other approvers', newApprovers, reassign, [
    ...OF_STEPS,
    'policy_step_unassigned',
    'reference_unknown',
  ])
  add('comment', 'Comment', 'Comment on a task, open or closed', newComment, comment, [])
  add('restart', 'Restart', 'Restart the workflow of a task', restarting, restart)
  add('close', 'Close', 'Cancel a task', wholeTask, close, ['task_closed'])
  return router
}

/**
 * Adds actions, which all have the same form of path, the same roles and the same response (specification, 2.3).
 * Performs the action and reads the resulting task, in one transaction.
 */
function adding(router: Router, dependencies: Dependencies) {
  return <Body extends { readonly expandMask?: ExpandMask | null | undefined }>(
    name: string,
    method: string,
    summary: string,
    body: z.ZodType<Body>,
    act: Action<Body & ActionRequest>,
    codes: readonly ProblemCode[] = OF_STEPS,
  ): void => {
    const operation = createRoute({
      method: 'post',
      path: `/api/v1/tasks/{task_id}/action/${name}`,
      operationId: `svc.api.task.v1.TaskActionsService.${method}`,
      summary,
      tags: ['Task actions'],
      ...takes('super_admin', 'operator'),
      request: { params: taskParams, body: { required: true, ...json(body.openapi(`${method}Request`)) } },
      responses: {
        200: { description: 'The task after the action.', ...json(taskActionResponse) },
        ...refusals(...ALWAYS, ...codes),
      },
      ...(name !== 'skip-step' && ADDITION),
    })
    router.openapi(operation, async (c) => {
      const [{ task_id }, given, { caller }] = [c.req.valid('param'), c.req.valid('json'), c.var]
      const paths = expandPaths(given.expandMask)
      const reply = await dependencies.database.transaction(async (tx) => {
        const request = { ...given, taskId: task_id, caller }
        const { taskId, ticketActionId } = await act(tx, request, momentOf(dependencies))
        return { ...(await viewTask(tx, taskId, caller, paths)), ticketActionId }
      })
      return c.json(reply, 200)
    })
  }
}
