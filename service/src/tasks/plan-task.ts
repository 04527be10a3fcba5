import type { Evaluate } from '../cel/evaluate.ts'
import type { Queryable } from '../database/database.ts'
import { mustExist, objectsOf } from '../directory/objects.ts'
import { checkKeepable } from '../http/keepable.ts'
import { Problem } from '../http/problem.ts'
import { workflowFor } from '../policies/routing.ts'
import { findPolicy, type PolicyRow } from '../policies/store.ts'
import { POLICY_TYPES_FOR } from './kinds.ts'
import type { CreateTask } from './schema/requests.ts'
import type { TaskKind } from './schema/task-type.ts'
import { kindOf, resolveTarget } from './target.ts'

/**
 * Fills the cache of `evaluate` before the transaction of `createTask`. A policy or user that changes in between is
 * evaluated there. Ignores failures, which `createTask` will report.
 */
export async function foreseeTask(database: Queryable, given: CreateTask, evaluate: Evaluate): Promise<void> {
  try {
    const { rules, baseline_policy_id } = await policyFor(database, kindOf(given.type), given.policyId)
    if (rules?.length || baseline_policy_id !== null) await planTask(database, given, evaluate)
  } catch {}
}

/**
 * Plans a task: what it asks for, and the steps of its policy.
 *
 * @throws Problem as `createTask` does.
 */
export async function planTask(database: Queryable, given: CreateTask, evaluate: Evaluate) {
  checkKeepable(given)
  const { kind, fields, ...target } = await resolveTarget(database, given.type)
  if (given.userId !== undefined) await mustExist(database, 'userId', 'User', [given.userId])
  await mustExist(database, 'insightIds', 'Insight', given.insightIds ?? [])
  const userId = given.userId ?? target.userId
  const policy = await policyFor(database, kind, given.policyId)
  const { description = '', origin = 'TASK_ORIGIN_API', emergencyAccess = false } = given
  const task = { type: { [kind]: fields }, description, origin, userId, emergencyAccess }
  const ctx = await contextOf(database, { ...task, data: given.data ?? {} })
  return { ...task, kind, policy, workflow: await workflowFor(database, policy, ctx, evaluate) }
}

async function policyFor(
  database: Queryable,
  kind: TaskKind,
  policyId: string | undefined,
): Promise<PolicyRow> {
  const types = POLICY_TYPES_FOR[kind]
  if (policyId === undefined && types.length === 0)
    throw new Problem('policy_invalid', `A task of ${kind} needs a policyId.`)
  const policy = await findPolicy(database, policyId ?? `builtin-${kind}`)
  if (types.length === 0 || types.includes(policy.policy_type)) return policy
  throw new Problem('policy_invalid', `A task of ${kind} needs a policy of ${types.join(' or ')}.`)
}

/** The JSON that the conditions of a policy see as `ctx`. */
async function contextOf(
  database: Queryable,
  task: { readonly userId: string; readonly data: object },
): Promise<string> {
  const [found] = await objectsOf(database, 'User', [task.userId])
  const { '@type': _, ...user } = { ...found?.object }
  return JSON.stringify({ task, user })
}
