import type { Evaluate } from '../cel/evaluate.ts'
import type { Transaction } from '../database/database.ts'
import type { Caller } from '../http/bearer.ts'
import type { Dependencies } from '../http/dependencies.ts'
import type { StoredStep } from '../policies/step.ts'
import type { PolicyRow } from '../policies/store.ts'
import { audit } from './audit/record.ts'
import { blankType } from './kinds.ts'
import { planTask } from './plan-task.ts'
import type { CreateTask } from './schema/requests.ts'
import type { Target } from './target.ts'
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
  { clock, newId, evaluate }: Pick<Dependencies, 'clock' | 'newId'> & { readonly evaluate: Evaluate },
): Promise<string> {
  const plan = await planTask(tx, given, evaluate)
  const [id, moment] = [newId(), { now: new Date(clock.now()), newId }]
  await insertTask(tx, { id, given, ...plan, createdByUserId: by.userId, now: moment.now })
  await planSteps(tx, id, plan.steps)
  await audit(tx, { taskId: id, event: 'TASK_AUDIT_EVENT_CREATED', by }, moment)
  await moveOn(tx, { id, state: 'TASK_STATE_OPEN', kind: plan.target.kind }, 'skipped', moment)
  return id
}

interface NewTask {
  readonly id: string
  readonly given: CreateTask
  readonly target: Target
  readonly userId: string
  readonly policy: PolicyRow
  readonly steps: readonly StoredStep[]
  readonly createdByUserId: string
  readonly now: Date
}

async function insertTask(tx: Transaction, task: NewTask): Promise<void> {
  const { id, given, target, userId, policy, steps, createdByUserId, now } = task
  const name = `${target.kind.charAt(0).toUpperCase()}${target.kind.slice(1)} request`
  const type = { [target.kind]: { ...blankType(target.kind), ...target.fields } }
  await tx.query(
    `INSERT INTO tasks (id, display_name, description, state, processing, origin, type, user_id, created_by_user_id,
       created_at, updated_at, data, emergency_access, form, insight_ids, recommendation, policy_id,
       policy_generation_id, workflow)
     VALUES ($1, $2, $3, 'TASK_STATE_OPEN', 'TASK_PROCESSING_TYPE_WAITING', $4, $5::jsonb, $6, $7, $8, $8, $9::jsonb,
       $10, $11::jsonb, $12, $13, $14, $15, $16::jsonb)`,
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
      JSON.stringify(steps),
    ],
  )
}
