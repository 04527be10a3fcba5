import type { Transaction } from '../../database/database.ts'
import type { Caller } from '../../http/bearer.ts'
import { Problem } from '../../http/problem.ts'
import { type Ending, endOf } from '../../policies/endings.ts'
import type { StoredStep } from '../../policies/step.ts'
import { audit, type Moment } from '../audit/record.ts'
import { type LockedTask, lockTask } from '../store.ts'
import { endStep } from '../workflow.ts'
import { requireMay, type StepAction } from './who-may.ts'

/** The input of every action. */
export interface ActionRequest {
  /** The ID of the task, or its numeric ID. */
  readonly taskId: string
  readonly comment?: string | null | undefined
  /** The step that the caller considers current. Default: the current step. */
  readonly policyStepId?: string | null | undefined
  /** The user who acts. */
  readonly caller: Caller
}

/** The input of an action on a step. */
export interface StepRequest extends ActionRequest {
  readonly policyStepId: string
}

/** The result of an action: the IDs of the task and of the action's record. */
export interface Acted {
  readonly taskId: string
  readonly ticketActionId: string
}

/** Acts on a task in one transaction. Concurrent actions on a task run one after the other. */
export type Action<Request extends ActionRequest> = (
  tx: Transaction,
  request: Request,
  moment: Moment,
) => Promise<Acted>

/** The current step of a task whose lock is held, and the action that the caller may take on it. */
export interface CurrentStep {
  readonly action: StepAction
  readonly request: ActionRequest
  readonly task: LockedTask
  readonly id: string
  readonly step: StoredStep
}

/**
 * Locks the task and finds its current step.
 *
 * @throws Problem `task_unknown`, `task_closed`, `policy_step_unknown`, `policy_step_done`, `forbidden`.
 */
export async function takeStep(
  tx: Transaction,
  action: StepAction,
  request: ActionRequest,
): Promise<CurrentStep> {
  const task = await lockTask(tx, request.taskId)
  const [found] = await tx.query<{ id: string; state: string; step: StoredStep }>(
    `SELECT instance_id AS id, state, step FROM task_steps
     WHERE task_id = $1 AND (instance_id = $2 OR $2 IS NULL AND state = 'POLICY_STEP_STATE_ACTIVE')`,
    [task.id, request.policyStepId ?? null],
  )
  if (found === undefined && request.policyStepId != null)
    throw new Problem('policy_step_unknown', 'The task has no policy step with this ID.')
  if (found === undefined || task.state === 'TASK_STATE_CLOSED')
    throw new Problem('task_closed', 'The task is closed.')
  if (found.state !== 'POLICY_STEP_STATE_ACTIVE')
    throw new Problem('policy_step_done', 'The policy step is already done.')
  requireMay(action, found.step, request.caller)
  return { action, request, task, id: found.id, step: found.step }
}

/**
 * Ends the current step and records the action in the audit trail.
 *
 * @param more Further fields of the ending.
 * @param member The member of the instance to set.
 */
export async function endCurrent(
  tx: Transaction,
  { action, request, task, id }: CurrentStep,
  moment: Moment,
  ending: Ending,
  more: object = {},
  member: Ending | 'success' = ending,
): Promise<Acted> {
  const { caller, comment } = { ...request, comment: request.comment ?? '' }
  const end = endOf(ending, { now: moment.now, userId: caller.userId, comment })
  await endStep(tx, task.id, id, { [member]: { ...end, ...more } })
  const entry = { taskId: task.id, action, policyStepId: id, comment, by: caller }
  const ticketActionId = await audit(tx, { event: 'TASK_AUDIT_EVENT_ACTION', ...entry }, moment)
  return { taskId: task.id, ticketActionId }
}
