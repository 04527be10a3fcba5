import type { Evaluate } from '../cel/evaluate.ts'
import type { Transaction } from '../database/database.ts'
import type { Caller } from '../http/bearer.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { audit, momentOf } from './audit/record.ts'
import { planTask } from './plan-task.ts'
import type { CreateTask } from './schema/requests.ts'
import { blankTarget } from './schema/task-type.ts'
import { moveOn, planSteps } from './workflow.ts'

/**
 * Creates a task and begins the first step of its policy. A policy of only accept or reject steps closes it at once.
 *
 * @param by The user who creates it.
 * @returns Its ID.
 * @throws Problem `request_invalid`, `reference_unknown`, `policy_unknown`, `policy_invalid`, `policy_rule_failed`.
 */
export async function createTask(
  tx: Transaction,
  given: CreateTask,
  by: Pick<Caller, 'userId' | 'runId'>,
  { evaluate, ...dependencies }: Pick<Dependencies, 'clock' | 'newId'> & { readonly evaluate: Evaluate },
): Promise<string> {
  const { kind, policy, workflow, ...task } = await planTask(tx, given, evaluate)
  const [id, moment] = [dependencies.newId(), momentOf(dependencies)]
  const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} request`
  await tx.query(
    `INSERT INTO tasks (id, display_name, description, state, processing, origin, type, user_id, created_by_user_id,
       created_at, updated_at, data, emergency_access, form, insight_ids, recommendation, policy_id,
       policy_generation_id, workflow, workflow_generation_id)
     VALUES ($1, $2, $3, 'TASK_STATE_OPEN', 'TASK_PROCESSING_TYPE_WAITING', $4, $5::jsonb, $6, $7, $8, $8, $9::jsonb,
       $10, $11::jsonb, $12, $13, $14, $15, $16::jsonb, $17)`,
    [
      id,
      given.displayName ?? name,
      task.description,
      task.origin,
      JSON.stringify({ [kind]: { ...blankTarget(kind), ...task.type[kind] } }),
      task.userId,
      by.userId,
      moment.now,
      given.data ? JSON.stringify(given.data) : null,
      task.emergencyAccess,
      given.form ? JSON.stringify(given.form) : null,
      given.insightIds ?? [],
      given.recommendation ?? 'INSIGHT_RECOMMENDATION_UNSPECIFIED',
      policy.id,
      policy.generation_id,
      JSON.stringify(workflow.steps),
      workflow.generationId,
    ],
  )
  await planSteps(tx, id, workflow.steps)
  await audit(tx, { taskId: id, event: 'TASK_AUDIT_EVENT_CREATED', by }, moment)
  await moveOn(tx, { id, kind }, 'skipped', moment)
  return id
}
