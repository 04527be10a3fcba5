import type { Transaction } from '../../database/database.ts'
import { variantOf } from '../../policies/step.ts'
import { closeTask, moveOn } from '../workflow.ts'
import { type Action, endCurrent, momentOf, type StepRequest, takeStep } from './act.ts'
import { requireMay } from './who-may.ts'

/**
 * Approves the current step and begins the next one. Completes a step of another kind than `approval`.
 *
 * @throws Problem `task_unknown`, `task_closed`, `policy_step_unknown`, `policy_step_done`, `forbidden`.
 */
export const approve: Action<StepRequest> = async (tx, request, dependencies) => {
  const [action, moment] = ['TASK_ACTION_TYPE_APPROVE', momentOf(dependencies)] as const
  const current = await takeStep(tx, request.taskId, request.policyStepId)
  requireMay(action, current.step, request.caller)
  const [kind] = variantOf(current.step)
  const ending = kind === 'approval' ? 'approved' : 'completed'
  const member = kind === 'action' ? 'success' : ending
  const acted = await endCurrent(tx, current, request, { ending, member, action }, moment)
  await keepApprover(tx, acted.taskId, request.caller.userId)
  await moveOn(tx, current.task, 'accepted', moment)
  return acted
}

/** Denies the current step, which closes the task. @throws Problem as `approve` does. */
export const deny: Action<StepRequest> = async (tx, request, dependencies) => {
  const [action, moment] = ['TASK_ACTION_TYPE_DENY', momentOf(dependencies)] as const
  const current = await takeStep(tx, request.taskId, request.policyStepId)
  requireMay(action, current.step, request.caller)
  const acted = await endCurrent(tx, current, request, { ending: 'denied', action }, moment)
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
