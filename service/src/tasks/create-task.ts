import type { Evaluate } from '../cel/evaluate.ts'
import type { Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import type { StoredStep } from '../policies/step.ts'
import type { PolicyRow } from '../policies/store.ts'
import { blankType } from './kinds.ts'
import { planTask } from './plan-task.ts'
import type { CreateTask } from './schema/requests.ts'
import type { Target } from './target.ts'

/**
 * Creates a task and begins the first step of its policy.
 *
 * @param createdByUserId Who asks for it.
 * @returns Its ID.
 * @throws Problem `request_invalid`, `reference_unknown`, `policy_unknown`, `policy_invalid`, `policy_rule_failed`.
 */
export async function createTask(
  tx: Transaction,
  given: CreateTask,
  createdByUserId: string,
  { clock, newId, evaluate }: Pick<Dependencies, 'clock' | 'newId'> & { readonly evaluate: Evaluate },
): Promise<string> {
  const { steps, ...plan } = await planTask(tx, given, evaluate)
  const id = newId()
  await insertTask(tx, { id, given, ...plan, createdByUserId, now: new Date(clock.now()) })
  await insertSteps(tx, id, steps, newId())
  return id
}

interface NewTask {
  readonly id: string
  readonly given: CreateTask
  readonly target: Target
  readonly userId: string
  readonly policy: PolicyRow
  readonly createdByUserId: string
  readonly now: Date
}

async function insertTask(tx: Transaction, task: NewTask): Promise<void> {
  const { id, given, target, userId, policy, createdByUserId, now } = task
  const name = `${target.kind.charAt(0).toUpperCase()}${target.kind.slice(1)} request`
  const type = { [target.kind]: { ...blankType(target.kind), ...target.fields } }
  await tx.query(
    `INSERT INTO tasks (id, display_name, description, state, processing, origin, type, user_id, created_by_user_id,
       created_at, updated_at, data, emergency_access, form, insight_ids, recommendation, policy_id,
       policy_generation_id)
     VALUES ($1, $2, $3, 'TASK_STATE_OPEN', 'TASK_PROCESSING_TYPE_WAITING', $4, $5::jsonb, $6, $7, $8, $8, $9::jsonb,
       $10, $11::jsonb, $12, $13, $14, $15)`,
    [
      id,
      given.displayName ?? name,
      given.description ?? '',
      given.origin ?? 'TASK_ORIGIN_API',
      JSON.stringify(type),
      userId,
      createdByUserId,
      now,
      given.data ? JSON.stringify(given.data) : null,
      given.emergencyAccess ?? false,
      given.form ? JSON.stringify(given.form) : null,
      given.insightIds ?? [],
      given.recommendation ?? 'INSIGHT_RECOMMENDATION_UNSPECIFIED',
      policy.id,
      policy.generation_id,
    ],
  )
}

/** All steps of the workflow; the first begins at once. */
async function insertSteps(
  tx: Transaction,
  taskId: string,
  steps: readonly StoredStep[],
  firstStepId: string,
) {
  await tx.query(
    `INSERT INTO task_steps (task_id, position, step, instance_id, state)
     SELECT $1, position, step, CASE WHEN position = 1 THEN $3 END,
       CASE WHEN position = 1 THEN 'POLICY_STEP_STATE_ACTIVE' END
     FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS steps (step, position)`,
    [taskId, JSON.stringify(steps), firstStepId],
  )
}
