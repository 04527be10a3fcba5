import { moveOn } from '../workflow.ts'
import { type Action, endCurrent, type StepRequest, takeStep } from './act.ts'

/**
 * Ends the current step of a task and begins the next one. After the last step, the task is closed (specification, 3.2
 * and 4.1).
 *
 * @throws Problem `task_unknown`, `task_closed`, `policy_step_unknown`, `policy_step_done`, `forbidden`.
 */
export const skipStep: Action<StepRequest> = async (tx, request, moment) => {
  const current = await takeStep(tx, 'TASK_ACTION_TYPE_SKIP_STEP', request)
  const acted = await endCurrent(tx, current, moment, 'skipped')
  await moveOn(tx, current.task, 'skipped', moment)
  return acted
}
