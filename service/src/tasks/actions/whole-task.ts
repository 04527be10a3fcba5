import type { Transaction } from '../../database/database.ts'
import type { StoredStep } from '../../policies/step.ts'
import { audit } from '../audit/record.ts'
import { lockTask } from '../store.ts'
import { closeTask, moveOn, planSteps } from '../workflow.ts'
import { type Action, type ActionRequest, commentOf, endCurrent, momentOf, takeStep } from './act.ts'

/** Comments on an open or closed task. @throws Problem `task_unknown`. */
export const comment: Action<ActionRequest> = async (tx, request, dependencies) => {
  const { id: taskId } = await lockTask(tx, request.taskId)
  const [action, event] = ['TASK_ACTION_TYPE_COMMENT', 'TASK_AUDIT_EVENT_ACTION'] as const
  const entry = { taskId, event, action, comment: commentOf(request), by: request.caller }
  return { taskId, ticketActionId: await audit(tx, entry, momentOf(dependencies)) }
}

/** Cancels a task. @throws Problem `task_unknown`, `task_closed`. */
export const close: Action<ActionRequest> = async (tx, request, dependencies) => {
  const [action, moment] = ['TASK_ACTION_TYPE_CLOSE', momentOf(dependencies)] as const
  const current = await takeStep(tx, request.taskId)
  const acted = await endCurrent(tx, current, request, { ending: 'cancelled', action }, moment)
  await closeTask(tx, current.task, 'cancelled', moment)
  return acted
}

export interface RestartRequest extends ActionRequest {
  /** The step that the caller considers current. Default: the current step. */
  readonly policyStepId?: string | null | undefined
}

/**
 * Restarts the workflow of an open task, with the steps that its policy selected. Its history is kept.
 *
 * @throws Problem `task_unknown`, `task_closed`, `policy_step_unknown`, `policy_step_done`.
 */
export const restart: Action<RestartRequest> = async (tx, request, dependencies) => {
  const [action, moment] = ['TASK_ACTION_TYPE_RESTART', momentOf(dependencies)] as const
  const current = await takeStep(tx, request.taskId, request.policyStepId)
  const end = { ending: 'restarted', action, more: { oldPolicyStepId: current.id } } as const
  const acted = await endCurrent(tx, current, request, end, moment)
  await planSteps(tx, acted.taskId, await workflowOf(tx, acted.taskId))
  await moveOn(tx, current.task, 'skipped', moment)
  return acted
}

async function workflowOf(tx: Transaction, taskId: string): Promise<readonly StoredStep[]> {
  const [row] = await tx.query<{ workflow: StoredStep[] }>('SELECT workflow FROM tasks WHERE id = $1', [
    taskId,
  ])
  return row?.workflow ?? []
}
