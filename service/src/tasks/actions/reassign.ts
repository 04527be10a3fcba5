import type { Transaction } from '../../database/database.ts'
import { Problem } from '../../http/problem.ts'
import { type StoredStep, variantOf } from '../../policies/step.ts'
import { mustExist } from '../existence.ts'
import { beginStep, planSteps } from '../workflow.ts'
import { type Action, endCurrent, momentOf, type StepRequest, takeStep } from './act.ts'
import { ASSIGNED_KINDS, requireMay } from './who-may.ts'

export interface ReassignRequest extends StepRequest {
  readonly newStepUserIds: readonly string[]
}

/**
 * Ends the current step and begins the same step again with other approvers.
 *
 * @throws Problem `task_unknown`, `task_closed`, `policy_step_unknown`, `policy_step_done`, `forbidden`,
 *   `policy_step_unassigned`, `reference_unknown`.
 */
export const reassign: Action<ReassignRequest> = async (tx, request, dependencies) => {
  const [action, moment] = ['TASK_ACTION_TYPE_REASSIGN', momentOf(dependencies)] as const
  const current = await takeStep(tx, request.taskId, request.policyStepId)
  requireMay(action, current.step, request.caller)
  const step = assigned(current.step, request.newStepUserIds)
  for (const userId of request.newStepUserIds) await mustExist(tx, 'newStepUserIds', 'users', userId)
  const newPolicyStepId = moment.newId()
  const end = { ending: 'reassigned', action, more: { newPolicyStepId } } as const
  const acted = await endCurrent(tx, current, request, end, moment)
  await planSteps(tx, acted.taskId, [step, ...(await nextSteps(tx, acted.taskId))])
  await beginStep(tx, acted.taskId, newPolicyStepId)
  return acted
}

/** The step with the new approvers in place of the old ones. */
function assigned(step: StoredStep, userIds: readonly string[]): StoredStep {
  const [kind, variant] = variantOf(step)
  if (!ASSIGNED_KINDS.includes(kind)) {
    const kinds = ASSIGNED_KINDS.join(' and ')
    throw new Problem('policy_step_unassigned', `Only ${kinds} steps can be reassigned; this is ${kind}.`)
  }
  return { [kind]: { ...Object(variant), userIds } }
}

async function nextSteps(tx: Transaction, taskId: string): Promise<StoredStep[]> {
  const rows = await tx.query<{ step: StoredStep }>(
    'SELECT step FROM task_steps WHERE task_id = $1 AND state IS NULL ORDER BY position',
    [taskId],
  )
  return rows.map(({ step }) => step)
}
