import { type CelContext, CelError, type Evaluate } from '../cel/evaluate.ts'
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
 * @param evaluate Answers the conditions.
 * @throws Problem `policy_rule_failed` for a condition that fails, or that is neither true nor false: a task that a rule
 *   meant to send elsewhere must not take the baseline because of a slip.
 */
export async function stepsFor(
  database: Queryable,
  policy: PolicyRow,
  ctx: CelContext,
  evaluate: Evaluate,
): Promise<readonly StoredStep[]> {
  const key = (await firstMatch(policy, ctx, evaluate)) ?? baselineKey(policy.policy_type)
  const chosen = policy.policy_steps[key]
  if (chosen !== undefined) return chosen.steps
  return stepsFor(database, await findPolicy(database, policy.baseline_policy_id ?? ''), ctx, evaluate)
}

async function firstMatch(
  { id, rules }: PolicyRow,
  ctx: CelContext,
  evaluate: Evaluate,
): Promise<string | undefined> {
  for (const [index, { condition, policyKey }] of (rules ?? []).entries()) {
    if (await holds(evaluate(condition, ctx), `${id}, rule ${index + 1}`)) return policyKey
  }
  return undefined
}

async function holds(evaluated: Promise<unknown>, where: string): Promise<boolean> {
  const answer = await outcomeOf(evaluated, where)
  if (typeof answer !== 'boolean') {
    throw new Problem('policy_rule_failed', `Policy ${where}: the condition is neither true nor false.`)
  }
  return answer
}

async function outcomeOf(evaluated: Promise<unknown>, where: string): Promise<unknown> {
  try {
    return await evaluated
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    throw new Problem('policy_rule_failed', `Policy ${where}: ${error.message}`)
  }
}
