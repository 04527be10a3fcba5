import type { Transaction } from '../database/database.ts'
import { memberOf } from '../member-of.ts'
import { type Ending, endOf } from '../policies/endings.ts'
import { type StoredStep, variantOf } from '../policies/step.ts'
import { audit, type Moment } from './audit/record.ts'
import { outcomeWord, type Verdict } from './kinds.ts'
import type { LockedTask } from './store.ts'

/** How automatic steps end, and the name of their comment field. */
const BY_POLICY = {
  accept: { ending: 'accepted', event: 'TASK_AUDIT_EVENT_ACCEPTED_BY_POLICY', message: 'acceptMessage' },
  reject: { ending: 'rejected', event: 'TASK_AUDIT_EVENT_REJECTED_BY_POLICY', message: 'rejectMessage' },
} as const

/** Replaces the upcoming steps. */
export async function planSteps(
  tx: Transaction,
  taskId: string,
  steps: readonly StoredStep[],
): Promise<void> {
  await tx.query('DELETE FROM task_steps WHERE task_id = $1 AND state IS NULL', [taskId])
  await tx.query(
    `INSERT INTO task_steps (task_id, position, step)
     SELECT $1, number + (SELECT coalesce(max(position), 0) FROM task_steps WHERE task_id = $1), step
     FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS steps (step, number)`,
    [taskId, JSON.stringify(steps)],
  )
}

/** @param outcome The ending for the step's instance, by its name. */
export async function endStep(
  tx: Transaction,
  taskId: string,
  stepId: string,
  outcome: Partial<Record<Ending | 'success', object>>,
): Promise<void> {
  await tx.query(
    `UPDATE task_steps SET state = 'POLICY_STEP_STATE_DONE', outcome = $3::jsonb
     WHERE task_id = $1 AND instance_id = $2`,
    [taskId, stepId, JSON.stringify(outcome)],
  )
}

/** Begins the next step, if there is one. */
export async function beginStep(
  tx: Transaction,
  taskId: string,
  stepId: string,
): Promise<StoredStep | undefined> {
  const [begun] = await tx.query<{ step: StoredStep }>(
    `UPDATE task_steps SET state = 'POLICY_STEP_STATE_ACTIVE', instance_id = $2
     WHERE task_id = $1 AND position = (
       SELECT min(position) FROM task_steps WHERE task_id = $1 AND state IS NULL)
     RETURNING step`,
    [taskId, stepId],
  )
  return begun?.step
}

/**
 * Continues after a step has ended. Begins the next step. An accept step ends at once, and the next step
 * begins. A reject step closes the task. After the last step, its ending is the task's result.
 */
export async function moveOn(
  tx: Transaction,
  task: Pick<LockedTask, 'id' | 'kind'>,
  ended: Verdict,
  moment: Moment,
): Promise<void> {
  const stepId = moment.newId()
  const step = await beginStep(tx, task.id, stepId)
  if (step === undefined) return closeTask(tx, task, ended, moment)
  const [kind, variant] = variantOf(step)
  if (kind !== 'accept' && kind !== 'reject') return
  const { ending, event, message } = BY_POLICY[kind]
  const given = memberOf(variant, message)
  const comment = typeof given === 'string' ? given : ''
  await endStep(tx, task.id, stepId, { [ending]: endOf(ending, { now: moment.now, userId: '', comment }) })
  await audit(tx, { taskId: task.id, event, policyStepId: stepId, comment }, moment)
  if (kind === 'reject') return closeTask(tx, task, 'denied', moment)
  await moveOn(tx, task, 'accepted', moment)
}

/** Closes a task and drops its upcoming steps. */
export async function closeTask(
  tx: Transaction,
  { id, kind }: Pick<LockedTask, 'id' | 'kind'>,
  verdict: Verdict,
  moment: Moment,
): Promise<void> {
  const outcome = outcomeWord(kind, verdict)
  const decided = verdict === 'skipped' ? {} : { outcome, outcomeTime: moment.now.toISOString() }
  await planSteps(tx, id, [])
  await tx.query(
    `UPDATE tasks SET state = 'TASK_STATE_CLOSED', processing = 'TASK_PROCESSING_TYPE_DONE',
       type = jsonb_set(type, ARRAY[$2], type->$2 || $3::jsonb)
     WHERE id = $1`,
    [id, kind, JSON.stringify(decided)],
  )
  await audit(tx, { taskId: id, event: 'TASK_AUDIT_EVENT_CLOSED', outcome }, moment)
}
