import { moveOn } from '../workflow.ts'
import { type Action, endCurrent, momentOf, type StepRequest, takeStep } from './act.ts'
import { requireMay } from './who-may.ts'

/**
 * Ends the current step of a task and begins the next one. After the last step, the task is closed (specification, 3.2
 * and 4.1).
 *
 * @throws Problem `task_unknown`, `task_closed`, `policy_step_unknown`, `policy_step_done`, `forbidden`.
 */
export const skipStep: Action<StepRequest> = async (tx, request, dependencies) => {
  const [action, moment] = ['TASK_ACTION_TYPE_SKIP_STEP', momentOf(dependencies)] as const
  const current = await takeStep(tx, request.taskId, request.policyStepId)
  requireMay(action, current.step, request.caller)
  const acted = await endCurrent(tx, current, request, { ending: 'skipped', action }, moment)
  await moveOn(tx, current.task, 'skipped', moment)
  return acted
}
