import { CelError, evaluateCel } from '../cel/evaluate.ts'
import type { Queryable } from '../database/database.ts'
import { Problem } from '../http/problem.ts'
import { baselineKey } from './schema.ts'
import type { StoredStep } from './step.ts'
import { findPolicy, type PolicyRow } from './store.ts'

/**
 * The steps that a policy has for a task (specification, 2.9): of the first rule whose condition is true, else of the
 * baseline, which may be another policy's. That one is asked as a whole, its rules first.
 *
 * @param ctx What the conditions see.
 * @throws Problem `policy_rule_failed` for a condition that fails, or that is neither true nor false: a task that a rule
 *   meant to send elsewhere must not take the baseline because of a slip.
 */
export async function stepsFor(
  database: Queryable,
  policy: PolicyRow,
  ctx: Readonly<Record<string, unknown>>,
): Promise<readonly StoredStep[]> {
  const rule = policy.rules?.find((each, index) =>
    holds(each.condition, ctx, `${policy.id}, rule ${index + 1}`),
  )
  const chosen = policy.policy_steps[rule?.policyKey ?? baselineKey(policy.policy_type)]
  if (chosen !== undefined) return chosen.steps
  return stepsFor(database, await findPolicy(database, policy.baseline_policy_id ?? ''), ctx)
}

function holds(condition: string, ctx: Readonly<Record<string, unknown>>, where: string): boolean {
  const answer = outcomeOf(condition, ctx, where)
  if (typeof answer !== 'boolean') {
    throw new Problem('policy_rule_failed', `Policy ${where}: the condition is neither true nor false.`)
  }
  return answer
}

function outcomeOf(condition: string, ctx: Readonly<Record<string, unknown>>, where: string): unknown {
  try {
    return evaluateCel(condition, ctx)
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    throw new Problem('policy_rule_failed', `Policy ${where}: ${error.message}`)
  }
}
