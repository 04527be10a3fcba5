import type { Reply } from '../support/reply.ts'
import { badPaths, checkView, randomMask } from './expanding.ts'
import { type Policy, type Workflow, workflowFor } from './policies.ts'
import type { Task } from './tasks.ts'
import { adopt, audit, moveOn, outcomeOf, plan as planSteps } from './workflow.ts'
import { barred, judge, type World } from './world.ts'

const POLICY_TYPES: Readonly<Record<string, readonly string[]>> = {
  grant: ['POLICY_TYPE_GRANT', 'POLICY_TYPE_ACCESS_REQUEST', 'POLICY_TYPE_PROVISION'],
  revoke: ['POLICY_TYPE_REVOKE'],
  certify: ['POLICY_TYPE_CERTIFY'],
}
const KINDS = ['grant', 'grant', 'revoke', 'certify', 'offboarding', 'finding'] as const

export async function createTask(world: World): Promise<void> {
  const { random } = world
  const who = world.mostly('operator')
  const kind = random.pick(KINDS)
  const target = randomTarget(random, kind)
  const fitting = world.policies.flatMap(({ id, policyType }) =>
    POLICY_TYPES[kind]?.includes(policyType) === false ? [] : id,
  )
  const given = {
    type: { [kind]: target },
    displayName: 'T',
    ...(random.chance(0.9) && {
      policyId: random.pick(random.chance(0.9) ? fitting : [...world.policies.map(({ id }) => id), 'none']),
    }),
    ...(random.chance(0.2) && { userId: random.pick(['user-ada', 'user-alan', 'none']) }),
    ...(random.chance(0.5) && { description: random.pick(['special', 'usual']) }),
    ...(random.chance(0.3) && {
      insightIds: random.some(['insight-1', 'insight-2', ...random.some(['none'], 0.1)]),
    }),
    ...randomMask(random),
  }
  const reply = await world.ask(who, 'POST', '/api/v1/tasks', given)
  const plan = planOf(world, kind, target, given)
  const no = barred(who, 'super_admin', 'operator')
  if (!judge(reply, no.length > 0 ? no : [...plan.refusals, ...badPaths(given.expandMask)])) return
  const task = begun(world, reply, { kind, target: { ...target, ...plan.found }, given, plan })
  world.tasks.unshift(task)
  checkView(reply.body, task, who, given.expandMask)
}

function randomTarget(random: World['random'], kind: string): Record<string, unknown> {
  if (kind === 'offboarding') return { subjectUserId: random.pick(['user-alan', 'user-grace', 'none']) }
  if (kind === 'finding') return { findingId: 'f', findingType: 't' }
  return {
    appId: random.chance(0.95) ? 'app-payroll' : 'none',
    appEntitlementId: random.pick(['entitlement-01', 'entitlement-60', ...random.some(['none'], 0.1)]),
    ...(random.chance(0.5) && { appUserId: random.pick(['app-user-grace', ...random.some(['none'], 0.1)]) }),
    ...(random.chance(0.5) && {
      identityUserId: random.pick(['user-alan', 'user-grace', 'user-grace', 'user-grace']),
    }),
    ...(kind === 'grant' && { grantDuration: random.pick(['3600s', null]) }),
    ...(kind === 'certify' && { accessReviewId: random.pick(['review-1', ...random.some(['none'], 0.2)]) }),
    ...(kind !== 'grant' && { resource: random.pick([{ id: 'resource-1' }, null]) }),
  }
}

interface Plan {
  readonly refusals: readonly string[]
  /** The fields that the service fills in itself. */
  readonly found: object
  readonly userId: string
  readonly policy: Policy | undefined
  readonly workflow: Workflow | undefined
}

function planOf(
  { policies }: World,
  kind: string,
  target: Record<string, unknown>,
  given: { policyId?: string; userId?: string; description?: string; insightIds?: readonly string[] },
): Plan {
  const { appUserId, identityUserId, subjectUserId, accessReviewId } = target
  const owner = identityUserId ?? (appUserId === 'app-user-grace' ? 'user-grace' : '')
  const userId = given.userId ?? `${subjectUserId ?? owner}`
  const isUnknown =
    [given.userId, subjectUserId, target.appId, target.appEntitlementId, appUserId, accessReviewId].includes(
      'none',
    ) ||
    given.insightIds?.includes('none') ||
    (appUserId !== undefined && identityUserId === 'user-alan') // this is Grace's account
  const builtin = `builtin-${kind}`
  const policy = policies.find(({ id }) => id === (given.policyId ?? builtin))
  const types = POLICY_TYPES[kind]
  const refusals = [...(isUnknown ? ['400 reference_unknown'] : [])]
  if (given.policyId !== undefined && policy === undefined) refusals.push('404 policy_unknown')
  else if (policy === undefined || types?.includes(policy.policyType) === false)
    refusals.push('400 policy_invalid')
  const workflow = policy && workflowFor(policies, policy, { description: given.description ?? '', userId })
  if (policy && workflow === undefined) refusals.push('409 policy_rule_failed')
  const found = kind === 'offboarding' || kind === 'finding' ? {} : { identityUserId: owner }
  return { refusals, found, userId, policy, workflow }
}

interface Creation {
  readonly kind: string
  readonly target: Readonly<Record<string, unknown>>
  readonly given: { readonly description?: string; readonly insightIds?: readonly string[] }
  readonly plan: Plan
}

function begun(world: World, { body }: Reply, { kind, target, given, plan }: Creation): Task {
  const { id, numericId, policyGenerationId, policy } = body.taskView.task
  if (plan.policy) world.checkGeneration(plan.policy, policyGenerationId)
  const { description = '', insightIds = [] } = given
  const { current, history } = policy
  const source = (current ?? history[0]).policyGenerationId
  if (plan.workflow) world.checkGeneration(plan.workflow.source, source)
  const steps = plan.workflow?.steps ?? []
  const task: Task = {
    fixed: {
      ...{ id: world.fresh(id), displayName: 'T', description, origin: 'TASK_ORIGIN_API' },
      ...{
        userId: plan.userId,
        createdByUserId: 'user-ada',
        createdAt: world.now,
        deletedAt: null,
        annotations: null,
      },
      ...{ data: null, emergencyAccess: false, externalRefs: null, form: null, insightIds },
      ...{ recommendation: 'INSIGHT_RECOMMENDATION_UNSPECIFIED', analysisId: '', revocationTargets: null },
    },
    ...{ numericId: Number(numericId), kind, target, policy: plan.policy, policyGenerationId, source },
    ...{ workflow: steps, steps: [], actions: [], audits: [], approverIds: [] },
    ...{ outcome: outcomeOf(kind, 'undecided', ''), updatedAt: world.now, commentCount: 0 },
  }
  planSteps(task, steps)
  audit(world, task, { event: 'CREATED', userId: 'user-ada' })
  moveOn(world, task, 'undecided')
  adopt(world, task, policy)
  return task
}
