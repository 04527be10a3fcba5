import type { Transaction } from '../../database/database.ts'
import { variantOf } from '../../policies/step.ts'
import { closeTask, moveOn } from '../workflow.ts'
import { type Action, endCurrent, type StepRequest, takeStep } from './act.ts'

/**
 * Approves the current step and begins the next one. Completes a step of another kind than `approval`.
 *
 * @throws Problem `task_unknown`, `task_closed`, `policy_step_unknown`, `policy_step_done`, `forbidden`.
 */
export const approve: Action<StepRequest> = async (tx, request, moment) => {
  const current = await takeStep(tx, 'TASK_ACTION_TYPE_APPROVE', request)
  const [kind] = variantOf(current.step)
  const ending = kind === 'approval' ? 'approved' : 'completed'
  const acted = await endCurrent(tx, current, moment, ending, {}, kind === 'action' ? 'success' : ending)
  await keepApprover(tx, acted.taskId, request.caller.userId)
  await moveOn(tx, current.task, 'accepted', moment)
  return acted
}

/** Denies the current step, which closes the task. @throws Problem as `approve` does. */
export const deny: Action<StepRequest> = async (tx, request, moment) => {
  const current = await takeStep(tx, 'TASK_ACTION_TYPE_DENY', request)
  const acted = await endCurrent(tx, current, moment, 'denied')
  await keepApprover(tx, acted.taskId, request.caller.userId)
  await closeTask(tx, current.task, 'denied', moment)
  return acted
}

/** Adds the user to those who approved or denied a step (2.6), without duplicates. */
async function keepApprover(tx: Transaction, taskId: string, userId: string): Promise<void> {
  await tx.query(
    'UPDATE tasks SET approver_ids = approver_ids || $2::text WHERE id = $1 AND $2 <> ALL (approver_ids)',
    [taskId, userId],
  )
}
