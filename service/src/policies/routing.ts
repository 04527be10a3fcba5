import { type CelContext, CelError, type Evaluate } from '../cel/evaluate.ts'
import type { Queryable } from '../database/database.ts'
import { Problem } from '../http/problem.ts'
import { baselineKey } from './schema.ts'
import type { StoredStep } from './step.ts'
import { findPolicy, type PolicyRow } from './store.ts'

/**
 * Selects a task's steps (specification, 2.9). The first rule whose condition is true wins, otherwise the baseline. If
 * the baseline is another policy, that policy's rules apply first.
 *
 * @param ctx The JSON that conditions see as `ctx`.
 * @param evaluate Evaluates the conditions.
 * @throws Problem `policy_rule_failed` for a condition that fails or is not a boolean. A mistake in a rule must not
 * send a task to the baseline.
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
  for (const [index, rule] of (rules ?? []).entries()) {
    if (await holds(evaluate(rule.condition, ctx, id), `${id}, rule ${index + 1}`)) return rule.policyKey
  }
  return undefined
}

async function holds(evaluated: Promise<unknown>, where: string): Promise<boolean> {
  const answer = await outcomeOf(evaluated, where)
  if (typeof answer !== 'boolean') {
    throw new Problem('policy_rule_failed', `Policy ${where}: the condition is not a boolean.`)
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
