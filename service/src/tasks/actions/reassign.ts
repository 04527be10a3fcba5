import type { Transaction } from '../../database/database.ts'
import { mustExist } from '../../directory/objects.ts'
import { Problem } from '../../http/problem.ts'
import { type StoredStep, variantOf } from '../../policies/step.ts'
import { beginStep, planSteps } from '../workflow.ts'
import { type Action, endCurrent, type StepRequest, takeStep } from './act.ts'
import { ASSIGNED_KINDS } from './who-may.ts'

export interface ReassignRequest extends StepRequest {
  readonly newStepUserIds: readonly string[]
}

/**
 * Ends the current step and begins the same step again with other approvers.
 *
 * @throws Problem `task_unknown`, `task_closed`, `policy_step_unknown`, `policy_step_done`, `forbidden`,
 *   `policy_step_unassigned`, `reference_unknown`.
 */
export const reassign: Action<ReassignRequest> = async (tx, request, moment) => {
  const { newStepUserIds: userIds } = request
  const current = await takeStep(tx, 'TASK_ACTION_TYPE_REASSIGN', request)
  const [kind, variant] = variantOf(current.step)
  if (!ASSIGNED_KINDS.includes(kind)) {
    const kinds = ASSIGNED_KINDS.join(' and ')
    throw new Problem('policy_step_unassigned', `Only ${kinds} steps can be reassigned; this is ${kind}.`)
  }
  await mustExist(tx, 'newStepUserIds', 'User', userIds)
  const newPolicyStepId = moment.newId()
  const acted = await endCurrent(tx, current, moment, 'reassigned', { newPolicyStepId })
  const step = { [kind]: { ...Object(variant), userIds } }
  await planSteps(tx, acted.taskId, [step, ...(await nextSteps(tx, acted.taskId))])
  await beginStep(tx, acted.taskId, newPolicyStepId)
  return acted
}

async function nextSteps(tx: Transaction, taskId: string): Promise<StoredStep[]> {
  const rows = await tx.query<{ step: StoredStep }>(
    'SELECT step FROM task_steps WHERE task_id = $1 AND state IS NULL ORDER BY position',
    [taskId],
  )
  return rows.map(({ step }) => step)
}
