import type { NewAutomation } from '../automations/schema.ts'
import { createAutomation, publishAutomation } from '../automations/store.ts'
import { evaluateCel } from '../cel/evaluate.ts'
import type { Transaction } from '../database/database.ts'
import { importDirectory } from '../directory/import.ts'
import type { Caller } from '../http/bearer.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { addSecret } from '../listeners/secrets.ts'
import type { CreatePolicy } from '../policies/schema.ts'
import { createPolicy } from '../policies/write.ts'
import { advanceRun } from '../runs/advance.ts'
import { dueStep } from '../runs/due-step.ts'
import { startRun } from '../runs/start.ts'
import { createTask } from '../tasks/create-task.ts'
import { DEMO, DEMO_LISTENERS, demoSigningSecret, issueDemoToken } from './tenant.ts'

const ADA: Caller = { userId: DEMO.adminId, roles: ['super_admin'], skipsAnyStep: true }

/** Creates the demo tenant in a database without users, in one transaction. Does nothing otherwise. */
export async function seed(dependencies: Dependencies): Promise<void> {
  await dependencies.database.transaction(async (tx) => {
    await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('hookgate-service seed', 0))")
    if ((await tx.query('SELECT FROM users LIMIT 1')).length > 0) return
    await seedDirectory(tx, dependencies)
    await issueDemoToken(tx, dependencies.secret)
    await seedTasks(tx, dependencies)
    await seedAutomations(tx, dependencies)
    await seedRun(tx, dependencies)
  })
}

/** Whose first new ID is this one. */
function withId(id: string, dependencies: Dependencies): Dependencies {
  const fixed = [id]
  return { ...dependencies, newId: () => fixed.pop() ?? dependencies.newId() }
}

async function seedDirectory(tx: Transaction, dependencies: Dependencies): Promise<void> {
  const { appId } = DEMO
  const numbers = Array.from({ length: 60 }, (_, index) => `${index + 1}`.padStart(2, '0'))
  const lastUsedAt = new Date(dependencies.clock.now()).toISOString()
  const directory = {
    users: [
      { id: DEMO.adminId, displayName: 'Ada Lovelace', email: 'ada@example.com' },
      { id: DEMO.requesterId, displayName: 'Grace Hopper', email: 'grace@example.com' },
      { id: DEMO.approverId, displayName: 'Alan Turing', email: 'alan@example.com' },
    ],
    apps: [{ id: appId, displayName: 'Payroll' }],
    entitlements: numbers.map((number) => ({
      id: `entitlement-${number}`,
      appId,
      displayName: `Payroll role ${number}`,
      description: '',
    })),
    appUsers: [
      { id: DEMO.appUserId, appId, identityUserId: DEMO.requesterId, displayName: 'ghopper', lastUsedAt },
    ],
    accessReviews: [{ id: DEMO.reviewId, displayName: 'Payroll, fourth quarter' }],
    insights: [{ id: DEMO.insightId, displayName: 'Not used for 90 days' }],
  }
  await importDirectory(tx, directory, dependencies)
}

/** The three-step policy, two open tasks under it, and two under the built-in policy. */
async function seedTasks(tx: Transaction, dependencies: Dependencies): Promise<void> {
  const policy = {
    displayName: 'Grant in three steps',
    description: 'The manager approves, the owner approves, then access is provisioned.',
    policyType: 'POLICY_TYPE_GRANT',
    policySteps: {
      grant: {
        steps: [
          { approval: { userIds: [DEMO.approverId] } },
          { approval: { userIds: [DEMO.adminId, DEMO.approverId] } },
          { provision: { userIds: [DEMO.adminId] } },
        ],
      },
    },
    annotations: { managed_by: 'seed' },
  } satisfies CreatePolicy
  await createPolicy(tx, policy, withId(DEMO.grantPolicyId, dependencies))
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
  await tx.query(
    `UPDATE task_steps SET instance_id = 'step-' || numeric_id FROM tasks
     WHERE tasks.id = task_id AND instance_id IS NOT NULL`,
  )
}

/** Two automations. An HMAC webhook skips the current step of the task it names, and a JWT webhook is recorded. */
async function seedAutomations(tx: Transaction, dependencies: Dependencies): Promise<void> {
  const payroll = {
    displayName: 'Payroll has approved',
    description: 'Skips the current step of the task.',
    steps: [{ type: 'skip_step', taskIdCel: 'ctx.trigger.task', commentCel: 'ctx.trigger["approved by"]' }],
    trigger: { enabled: true, incomingWebhook: { hmac: {} } },
  } satisfies NewAutomation
  const hr = {
    displayName: 'HR keeps us informed',
    description: 'Records each webhook.',
    steps: [{ type: 'record', valueCel: 'ctx.trigger' }],
    trigger: {
      enabled: true,
      incomingWebhook: { jwt: { jwksUrl: 'https://hr.example.com/.well-known/jwks.json' } },
    },
  } satisfies NewAutomation
  for (const [id, automation, listenerId] of [
    ['automation-payroll', payroll, DEMO_LISTENERS.hmac],
    ['automation-hr', hr, DEMO_LISTENERS.jwt],
  ] as const) {
    await createAutomation(tx, withId(id, dependencies), ADA, automation, listenerId)
    await publishAutomation(tx, dependencies, id)
  }
  await tx.query('DELETE FROM listener_secrets WHERE listener_id = $1', [DEMO_LISTENERS.hmac]) // nobody has seen it
  const signingSecret = demoSigningSecret(dependencies.secret)
  await addSecret(tx, withId(DEMO.secretId, dependencies), DEMO_LISTENERS.hmac, signingSecret)
}

/** A run that has succeeded, with its record. */
async function seedRun(tx: Transaction, dependencies: Dependencies): Promise<void> {
  const event = {
    id: '00000000-0000-4000-8000-00000000000c',
    listenerId: DEMO_LISTENERS.jwt,
    rawBody: Buffer.from('{"employee":"user-grace","leaves":"2027-01-31"}'),
  }
  await startRun(tx, withId(DEMO.runId, dependencies), event)
  const due = await dueStep(tx, DEMO.runId)
  if (due) await advanceRun(tx, dependencies, due, evaluateCel)
}
