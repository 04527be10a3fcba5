import { audit } from '../audit/record.ts'
import { lockTask } from '../store.ts'
import { closeTask, moveOn, planSteps } from '../workflow.ts'
import { type Action, type ActionRequest, endCurrent, takeStep } from './act.ts'

/** Comments on an open or closed task. @throws Problem `task_unknown`. */
export const comment: Action<ActionRequest> = async (tx, request, moment) => {
  const { id: taskId } = await lockTask(tx, request.taskId)
  const [action, event] = ['TASK_ACTION_TYPE_COMMENT', 'TASK_AUDIT_EVENT_ACTION'] as const
  const entry = { taskId, event, action, comment: request.comment ?? '', by: request.caller }
  return { taskId, ticketActionId: await audit(tx, entry, moment) }
}

/** Cancels a task. @throws Problem `task_unknown`, `task_closed`. */
export const close: Action<ActionRequest> = async (tx, request, moment) => {
  const current = await takeStep(tx, 'TASK_ACTION_TYPE_CLOSE', request)
  const acted = await endCurrent(tx, current, moment, 'cancelled')
  await closeTask(tx, current.task, 'cancelled', moment)
  return acted
}

/**
 * Restarts the workflow of an open task, with the steps that its policy selected. Its history is kept.
 *
 * @throws Problem `task_unknown`, `task_closed`, `policy_step_unknown`, `policy_step_done`.
 */
export const restart: Action<ActionRequest> = async (tx, request, moment) => {
  const current = await takeStep(tx, 'TASK_ACTION_TYPE_RESTART', request)
  const acted = await endCurrent(tx, current, moment, 'restarted', { oldPolicyStepId: current.id })
  await planSteps(tx, acted.taskId, current.task.workflow)
  await moveOn(tx, current.task, 'skipped', moment)
  return acted
}
