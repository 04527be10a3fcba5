import { type CelContext, CelError, type Evaluate } from '../cel/evaluate.ts'
import type { Queryable } from '../database/database.ts'
import { Problem } from '../http/problem.ts'
import { baselineKey } from './schema.ts'
import type { StoredStep } from './step.ts'
import { findPolicy, type PolicyRow } from './store.ts'

/** The steps of a task, and the generation of the policy that they come from. */
export interface Workflow {
  readonly steps: readonly StoredStep[]
  readonly generationId: string
}

/**
 * Selects a task's workflow (specification, 2.9). The first rule whose condition is true wins, otherwise the baseline.
 * If the baseline is another policy, that policy's rules apply first.
 *
 * @param ctx The JSON that conditions see as `ctx`.
 * @param evaluate Evaluates the conditions.
 * @throws Problem `policy_rule_failed` for a condition that fails or is not a boolean. A mistake in a rule must not
 * send a task to the baseline.
 */
export async function workflowFor(
  database: Queryable,
  policy: PolicyRow,
  ctx: CelContext,
  evaluate: Evaluate,
): Promise<Workflow> {
  const key = (await firstMatch(policy, ctx, evaluate)) ?? baselineKey(policy.policy_type)
  const chosen = policy.policy_steps[key]
  if (chosen !== undefined) return { steps: chosen.steps, generationId: policy.generation_id }
  return workflowFor(database, await findPolicy(database, policy.baseline_policy_id ?? ''), ctx, evaluate)
}

async function firstMatch({ id, rules }: PolicyRow, ctx: CelContext, evaluate: Evaluate) {
  for (const [index, rule] of (rules ?? []).entries()) {
    if (await holds(evaluate(rule.condition, ctx, id), `${id}, rule ${index + 1}`)) return rule.policyKey
  }
  return undefined
}

async function holds(evaluated: Promise<unknown>, where: string): Promise<boolean> {
  const answer = await evaluated.catch((error) => {
    if (!(error instanceof CelError)) throw error
    throw new Problem('policy_rule_failed', `Policy ${where}: ${error.message}`)
  })
  if (typeof answer === 'boolean') return answer
  throw new Problem('policy_rule_failed', `Policy ${where}: the condition is not a boolean.`)
}
