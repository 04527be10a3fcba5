import { CelError, checkCel } from '../cel/evaluate.ts'
import type { Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { checkKeepable } from '../http/keepable.ts'
import { Problem } from '../http/problem.ts'
import { mergeAnnotations } from './annotations.ts'
import { checkBaseline, lockBaselines } from './baseline.ts'
import { baselineKey, type CreatePolicy, type UpdatePolicy } from './schema.ts'
import { storedStep } from './step.ts'
import { findPolicy, type PolicyRow, savePolicy } from './store.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** @throws Problem `policy_invalid` if the policy breaks a rule of the specification. */
export async function createPolicy(
  tx: Transaction,
  given: CreatePolicy,
  dependencies: Dependencies,
): Promise<PolicyRow> {
  const now = new Date(dependencies.clock.now())
  const blank: PolicyRow = {
    id: dependencies.newId(),
    generation_id: '',
    display_name: '',
    description: '',
    policy_type: given.policyType,
    policy_steps: {},
    rules: null,
    baseline_policy_id: null,
    post_actions: null,
    scope: null,
    annotations: {},
    system_builtin: false,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  }
  return write(tx, blank, given, dependencies)
}

/** @throws Problem `policy_unknown`, `policy_builtin`, `policy_invalid`. */
export async function updatePolicy(
  tx: Transaction,
  id: string,
  given: UpdatePolicy,
  dependencies: Dependencies,
): Promise<PolicyRow> {
  return write(tx, await lockPolicy(tx, id), given, dependencies)
}

/** Locks the policy until the transaction ends. @throws Problem `policy_unknown`, `policy_builtin`. */
async function lockPolicy(tx: Transaction, id: string): Promise<PolicyRow> {
  const row = await findPolicy(tx, id, 'FOR NO KEY UPDATE')
  if (row.system_builtin)
    throw new Problem('policy_builtin', 'Built-in policies cannot be changed or deleted.')
  return row
}

/**
 * Deletes a policy. New tasks cannot use it. Its running tasks continue with the steps they began with.
 *
 * @throws Problem `policy_unknown`, `policy_builtin`, and `policy_in_use` while another policy defers its baseline to it.
 */
export async function deletePolicy(
  tx: Transaction,
  id: string,
  { clock }: Pick<Dependencies, 'clock'>,
): Promise<void> {
  await lockPolicy(tx, id)
  await lockBaselines(tx)
  const [deferring] = await tx.query<{ id: string }>(
    'SELECT id FROM policies WHERE baseline_policy_id = $1 AND deleted_at IS NULL LIMIT 1',
    [id],
  )
  if (deferring !== undefined) {
    throw new Problem('policy_in_use', `Policy ${deferring.id} defers its baseline to this one.`)
  }
  await tx.query('UPDATE policies SET deleted_at = $2, updated_at = $2 WHERE id = $1', [
    id,
    new Date(clock.now()),
  ])
}

async function write(tx: Transaction, before: PolicyRow, given: UpdatePolicy, dependencies: Dependencies) {
  checkKeepable(given)
  const row: PolicyRow = {
    ...before,
    generation_id: dependencies.newId(),
    display_name: given.displayName ?? before.display_name,
    description: given.description ?? before.description,
    policy_steps: given.policySteps === undefined ? before.policy_steps : stored(given.policySteps),
    rules: given.rules === undefined ? before.rules : given.rules,
    baseline_policy_id: (given.baselinePolicyId ?? before.baseline_policy_id) || null,
    post_actions: given.postActions === undefined ? before.post_actions : given.postActions,
    scope: given.scope === undefined ? before.scope : given.scope,
    annotations: mergeAnnotations(before.annotations, given.annotations ?? {}),
    updated_at: new Date(dependencies.clock.now()),
  }
  checkEntries(row)
  if (given.baselinePolicyId) {
    if (!dependencies.config.SERVICE_BASELINE_POLICIES)
      throw new Problem('feature_disabled', 'baselinePolicyId is not enabled.')
    await checkBaseline(tx, row.id, row.policy_type, given.baselinePolicyId)
  }
  await savePolicy(tx, row)
  return row
}

function stored(given: NonNullable<UpdatePolicy['policySteps']>): PolicyRow['policy_steps'] {
  const entries = Object.entries(given).map(([key, { steps }]) => [key, { steps: steps.map(storedStep) }])
  return Object.fromEntries(entries)
}

function checkEntries({ policy_type, policy_steps, rules, baseline_policy_id }: PolicyRow): void {
  const baseline = baselineKey(policy_type)
  if (Object.hasOwn(policy_steps, baseline) === (baseline_policy_id !== null)) {
    refuse(`set either policySteps.${baseline} or baselinePolicyId`)
  }
  const strange = Object.keys(policy_steps).find((key) => key !== baseline && !UUID.test(key))
  if (strange !== undefined) refuse(`the keys of policySteps must be ${baseline} or UUIDs`)
  rules?.forEach((rule, index) => {
    if (!Object.hasOwn(policy_steps, rule.policyKey))
      refuse(`rule ${index + 1}: policySteps has no such policyKey`)
    checkCondition(rule.condition, index + 1)
  })
}

function checkCondition(condition: string, number: number): void {
  try {
    checkCel(condition, 'bool')
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    refuse(`rule ${number}: ${error.message}`)
  }
}

function refuse(rule: string): never {
  throw new Problem('policy_invalid', `The policy is invalid: ${rule}.`)
}
