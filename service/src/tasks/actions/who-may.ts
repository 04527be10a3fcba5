import { type Caller, mayAct } from '../../http/bearer.ts'
import { Problem } from '../../http/problem.ts'
import { actorsOf, type StoredStep, variantOf } from '../../policies/step.ts'
import type { TaskActionType } from '../schema/enums.ts'

type MayAct = (caller: Caller, isApprover: boolean) => boolean

/**
 * Who may take which action, besides having the role of an operator. Only the approvers that a step names may approve
 * or deny it. A `super_admin` may reassign it to anyone. `SERVICE_SKIP_STEP` sets who may skip it.
 */
const RULES = {
  TASK_ACTION_TYPE_CLOSE: () => true,
  TASK_ACTION_TYPE_APPROVE: (_, isApprover) => isApprover,
  TASK_ACTION_TYPE_DENY: (_, isApprover) => isApprover,
  TASK_ACTION_TYPE_COMMENT: () => true,
  TASK_ACTION_TYPE_REASSIGN: ({ roles }, isApprover) => isApprover || roles.includes('super_admin'),
  TASK_ACTION_TYPE_RESTART: () => true,
  TASK_ACTION_TYPE_SKIP_STEP: ({ skipsAnyStep }, isApprover) => isApprover || skipsAnyStep,
} satisfies Partial<Record<TaskActionType, MayAct>>

/** An action on an open task. */
export type StepAction = keyof typeof RULES

/** Only these kinds of steps name users, so only they can be reassigned. */
export const ASSIGNED_KINDS: readonly string[] = ['approval', 'provision']

function isAllowed(action: StepAction, step: StoredStep, caller: Caller): boolean {
  const approvers = actorsOf(step)
  return RULES[action](caller, approvers.length === 0 || approvers.includes(caller.userId))
}

/** @throws Problem `forbidden`. */
export function requireMay(action: StepAction, step: StoredStep, caller: Caller): void {
  if (isAllowed(action, step, caller)) return
  throw new Problem(
    'forbidden',
    'Only the approvers of the step may do this. See `stepApproverIds` of the task.',
  )
}

/** The actions that the caller may take now (specification, 2.6). @param current Undefined if the task is closed. */
export function actionsOf(current: StoredStep | undefined, caller: Caller): TaskActionType[] {
  if (!mayAct(caller)) return []
  if (current === undefined) return ['TASK_ACTION_TYPE_COMMENT']
  const isAssigned = ASSIGNED_KINDS.includes(variantOf(current)[0])
  // `keys` loses the key types.
  return (Object.keys(RULES) as StepAction[])
    .filter((action) => action !== 'TASK_ACTION_TYPE_REASSIGN' || isAssigned)
    .filter((action) => isAllowed(action, current, caller))
}
