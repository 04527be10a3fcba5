import { createRoute, type z } from '@hono/zod-openapi'
import type { Dependencies } from '../../http/dependencies.ts'
import type { ProblemCode } from '../../http/problem.ts'
import { ADDITION, json, newRouter, type Router, refusals } from '../../http/router.ts'
import { takes } from '../../http/takes.ts'
import { momentOf } from '../audit/record.ts'
import { type ExpandMask, expandPaths } from '../schema/expand.ts'
import { taskParams } from '../schema/requests.ts'
import { taskActionResponse } from '../schema/view.ts'
import { findTask } from '../store.ts'
import { viewTask } from '../view.ts'
import type { Action, ActionRequest } from './act.ts'
import { approve, deny } from './decide.ts'
import { reassign } from './reassign.ts'
import {
  approveRequest,
  closeRequest,
  commentRequest,
  denyRequest,
  reassignRequest,
  restartRequest,
  skipStepRequest,
} from './schema.ts'
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

interface Row<Body> {
  readonly name: string
  readonly method: string
  readonly summary: string
  readonly schema: z.ZodType<Body>
  readonly act: Action<Body & ActionRequest>
  /** Its own refusals. Default: those about the step. */
  readonly codes?: readonly ProblemCode[]
}

export function taskActionRoutes(dependencies: Dependencies): Router {
  const router = newRouter()
  add(router, dependencies, {
    name: 'skip-step', // 4.1
    method: 'SkipStep',
    summary: 'Skip the current step of a task',
    schema: skipStepRequest,
    act: skipStep,
  })
  add(router, dependencies, {
    name: 'approve',
    method: 'Approve',
    summary: 'Approve the current step',
    schema: approveRequest,
    act: approve,
  })
  add(router, dependencies, {
    name: 'deny',
    method: 'Deny',
    summary: 'Deny the current step, which closes the task',
    schema: denyRequest,
    act: deny,
  })
  add(router, dependencies, {
    name: 'reassign',
    method: 'Reassign',
    summary: 'Reassign the current step to other approvers',
    schema: reassignRequest,
    act: reassign,
    codes: [...OF_STEPS, 'policy_step_unassigned', 'reference_unknown'],
  })
  add(router, dependencies, {
    name: 'comment',
    method: 'Comment',
    summary: 'Comment on a task, open or closed',
    schema: commentRequest,
    act: comment,
    codes: [],
  })
  add(router, dependencies, {
    name: 'restart',
    method: 'Restart',
    summary: 'Restart the workflow of a task',
    schema: restartRequest,
    act: restart,
  })
  add(router, dependencies, {
    name: 'close',
    method: 'Close',
    summary: 'Cancel a task',
    schema: closeRequest,
    act: close,
    codes: ['task_closed'],
  })
  return router
}

/** Performs the action and reads the resulting task, in one transaction. */
function add<Body extends { readonly expandMask?: ExpandMask | null | undefined }>(
  router: Router,
  dependencies: Dependencies,
  { act, ...row }: Row<Body>,
): void {
  router.openapi(operationOf(row), async (c) => {
    const [{ task_id: taskId }, given, { caller }] = [c.req.valid('param'), c.req.valid('json'), c.var]
    const paths = expandPaths(given.expandMask)
    const reply = await dependencies.database.transaction(async (tx) => {
      const { ticketActionId, ...acted } = await act(tx, { ...given, taskId, caller }, momentOf(dependencies))
      return { ...(await viewTask(tx, await findTask(tx, acted.taskId), caller, paths)), ticketActionId }
    })
    return c.json(reply, 200)
  })
}

/** Every action has the same form of path, the same roles and the same response (specification, 2.3). */
function operationOf<Body>({ name, method, summary, schema, codes = OF_STEPS }: Omit<Row<Body>, 'act'>) {
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
    ...(name !== 'skip-step' && ADDITION),
  })
}
