import type { Evaluate } from '../cel/evaluate.ts'
import type { Queryable, Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { checkKeepable } from '../http/keepable.ts'
import { Problem } from '../http/problem.ts'
import { stepsFor } from '../policies/routing.ts'
import type { StoredStep } from '../policies/step.ts'
import { findPolicy, type PolicyRow } from '../policies/store.ts'
import { mustBeKnown, mustExist } from './existence.ts'
import { blankType, POLICY_TYPES_FOR } from './kinds.ts'
import type { CreateTask } from './schema/requests.ts'
import type { TaskKind } from './schema/task-type.ts'
import { kindOf, resolveTarget, type Target } from './target.ts'

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

/**
 * Before the transaction of `createTask`, has `evaluate` know the answers that are asked for there, unless a policy or a
 * user was changed in between. Where no policy has rules nothing is asked. Failures are for `createTask` to meet.
 */
export async function foreseeTask(database: Queryable, given: CreateTask, evaluate: Evaluate): Promise<void> {
  try {
    const { rules, baseline_policy_id } = await policyFor(database, kindOf(given.type), given.policyId)
    if (rules?.length || baseline_policy_id !== null) await planTask(database, given, evaluate)
  } catch {}
}

/**
 * What a task would be, with the steps of its policy.
 *
 * @throws Problem as `createTask` does.
 */
export async function planTask(database: Queryable, given: CreateTask, evaluate: Evaluate) {
  checkKeepable(given)
  const target = await resolveTarget(database, given.type)
  if (given.userId !== undefined) await mustExist(database, 'userId', 'users', given.userId)
  await mustBeKnown(database, 'insightIds', 'Insight', given.insightIds ?? [])
  const userId = given.userId ?? target.userId
  const policy = await policyFor(database, target.kind, given.policyId)
  const ctx = await contextOf(database, given, target, userId)
  return { target, userId, policy, steps: await stepsFor(database, policy, ctx, evaluate) }
}

async function policyFor(
  database: Queryable,
  kind: TaskKind,
  policyId: string | undefined,
): Promise<PolicyRow> {
  const types = POLICY_TYPES_FOR[kind]
  if (policyId === undefined) {
    const [builtin] = await database.query<PolicyRow>(
      'SELECT * FROM policies WHERE system_builtin AND policy_type = $1',
      [types[0]],
    )
    if (builtin === undefined) throw new Problem('policy_invalid', `A task of ${kind} needs a policyId.`)
    return builtin
  }
  const policy = await findPolicy(database, policyId)
  if (types.length > 0 && !types.includes(policy.policy_type)) {
    throw new Problem('policy_invalid', `A task of ${kind} takes a policy of ${types.join(' or ')}.`)
  }
  return policy
}

/** What the conditions of a policy's rules see, as JSON. */
async function contextOf(database: Queryable, given: CreateTask, target: Target, userId: string) {
  const [user] = await database.query<{ id: string; display_name: string; email: string }>(
    'SELECT id, display_name, email FROM users WHERE id = $1',
    [userId],
  )
  const { description = '', origin = 'TASK_ORIGIN_API', emergencyAccess = false } = given
  const data = given.data ?? {}
  return JSON.stringify({
    task: { type: { [target.kind]: target.fields }, description, origin, userId, emergencyAccess, data },
    user: user ? { id: user.id, displayName: user.display_name, email: user.email } : {},
  })
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
