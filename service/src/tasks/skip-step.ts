import type { Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { Problem } from '../http/problem.ts'
import { lockTask } from './store.ts'

export interface SkipStep {
  /** The ID of the task, or its numeric ID. */
  readonly taskId: string
  readonly policyStepId: string
  readonly comment?: string | null | undefined
  /** Who skips it. */
  readonly userId: string
}

/**
 * Ends the current step of a task and begins the next one; after the last, the policy is finished and so is the task
 * (specification, 3.2 and 4.1). Of two that skip the same step, the one that gets the task's lock first does.
 *
 * @returns The ID of the task, and of the action record.
 * @throws Problem `task_unknown`, `task_closed`, `policy_step_unknown`, `policy_step_done`.
 */
export async function skipStep(
  tx: Transaction,
  { taskId, policyStepId, userId, ...given }: SkipStep,
  { clock, newId }: Pick<Dependencies, 'clock' | 'newId'>,
): Promise<{ taskId: string; ticketActionId: string }> {
  const task = await lockTask(tx, taskId)
  const now = new Date(clock.now())
  await checkCurrent(tx, task, policyStepId)
  const comment = given.comment ?? ''
  const skipped = { skippedAt: now.toISOString(), userId, comment }
  await tx.query(
    `UPDATE task_steps SET state = 'POLICY_STEP_STATE_DONE', outcome = $3::jsonb
     WHERE task_id = $1 AND instance_id = $2`,
    [task.id, policyStepId, JSON.stringify({ skipped })],
  )
  await advance(tx, task.id, { stepId: newId(), now, comments: comment === '' ? 0 : 1 })
  const ticketActionId = newId()
  await tx.query(
    `INSERT INTO task_actions (id, task_id, type, policy_step_id, comment, user_id, created_at)
     VALUES ($1, $2, 'TASK_ACTION_TYPE_SKIP_STEP', $3, $4, $5, $6)`,
    [ticketActionId, task.id, policyStepId, comment, userId, now],
  )
  return { taskId: task.id, ticketActionId }
}

async function checkCurrent(
  tx: Transaction,
  task: { id: string; state: string },
  stepId: string,
): Promise<void> {
  const [step] = await tx.query<{ state: string }>(
    'SELECT state FROM task_steps WHERE task_id = $1 AND instance_id = $2',
    [task.id, stepId],
  )
  if (step === undefined)
    throw new Problem('policy_step_unknown', 'The task has no policy step with this ID.')
  if (task.state === 'TASK_STATE_CLOSED') throw new Problem('task_closed', 'The task is closed.')
  if (step.state !== 'POLICY_STEP_STATE_ACTIVE') {
    throw new Problem('policy_step_done', 'The policy step is done; the task has moved on.')
  }
}

async function advance(
  tx: Transaction,
  taskId: string,
  { stepId, now, comments }: { stepId: string; now: Date; comments: number },
): Promise<void> {
  const begun = await tx.query(
    `UPDATE task_steps SET state = 'POLICY_STEP_STATE_ACTIVE', instance_id = $2
     WHERE task_id = $1 AND position = (
       SELECT min(position) FROM task_steps WHERE task_id = $1 AND state IS NULL)
     RETURNING position`,
    [taskId, stepId],
  )
  const finished = begun.length === 0
  await tx.query(
    `UPDATE tasks SET updated_at = $2, comment_count = comment_count + $3,
       state = CASE WHEN $4 THEN 'TASK_STATE_CLOSED' ELSE state END,
       processing = CASE WHEN $4 THEN 'TASK_PROCESSING_TYPE_DONE' ELSE processing END
     WHERE id = $1`,
    [taskId, now, comments, finished],
  )
}
