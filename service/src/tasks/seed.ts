import { evaluateCel } from '../cel/evaluate.ts'
import { DEMO, type SeedPart } from '../database/seed.ts'
import { savePolicy } from '../policies/store.ts'
import { createTask } from './create-task.ts'

/** The demo tenant's three-step policy, two open tasks under it, and two under the built-in policy. */
export const seedTasks: SeedPart = async (tx, dependencies) => {
  const now = new Date(dependencies.clock.now())
  await savePolicy(tx, {
    id: DEMO.grantPolicyId,
    generation_id: dependencies.newId(),
    display_name: 'Grant in three steps',
    description: 'The manager approves, the owner approves, then access is provisioned.',
    policy_type: 'POLICY_TYPE_GRANT',
    policy_steps: {
      grant: {
        steps: [
          { approval: { userIds: [DEMO.approverId] } },
          { approval: { userIds: [DEMO.adminId, DEMO.approverId] } },
          { provision: { userIds: [DEMO.adminId] } },
        ],
      },
    },
    rules: null,
    baseline_policy_id: null,
    post_actions: null,
    scope: null,
    annotations: { managed_by: 'seed' },
    system_builtin: false,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  })
  for (const [appEntitlementId, policyId] of [
    ['entitlement-01', DEMO.grantPolicyId],
    ['entitlement-02', DEMO.grantPolicyId],
    ['entitlement-04', undefined],
    ['entitlement-05', undefined],
  ] as const) {
    const grant = { appId: DEMO.appId, appEntitlementId, appUserId: DEMO.appUserId, grantDuration: '86400s' }
    const description = 'Needed for the payroll run of November.'
    const request = { type: { grant }, policyId, description }
    await createTask(tx, request, { userId: DEMO.requesterId }, { ...dependencies, evaluate: evaluateCel })
  }
}
