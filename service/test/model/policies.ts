export const STEP_KINDS = ['approval', 'provision', 'accept', 'reject', 'wait', 'form', 'action']
export const OTHER_KEYS = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']

export type Step = Readonly<Record<string, object | null>>

interface Rule {
  readonly condition: string
  readonly policyKey: string
}

/** As in a reply (specification, 2.9). */
export interface Policy {
  readonly id: string
  readonly displayName: string
  readonly description: string
  readonly policyType: string
  readonly policySteps: Readonly<Record<string, { readonly steps: readonly Step[] }>>
  readonly rules: readonly Rule[] | null
  readonly baselinePolicyId: string
  readonly annotations: Readonly<Record<string, string>>
  readonly systemBuiltin: boolean
  readonly updatedAt: string
}

export type GivenPolicy = Partial<Policy>

export function baselineKey(policyType = ''): string {
  return policyType.replace('POLICY_TYPE_', '').toLowerCase()
}

/** A CEL expression, and its value for a task. Undefined if it fails or is not a boolean. */
export const CONDITIONS: Readonly<
  Record<string, (task: { description: string; userId: string }) => boolean | undefined>
> = {
  true: () => true,
  false: () => false,
  'ctx.task.description == "special"': ({ description }) => description === 'special',
  'ctx.user.id == "user-alan"': ({ userId }) => (userId === '' ? undefined : userId === 'user-alan'),
  'ctx.task.data.missing': () => undefined,
  'ctx.task.userId': () => undefined,
}

/** The steps of a task, and the policy they come from. */
export interface Workflow {
  readonly steps: readonly Step[]
  readonly source: Policy
}

/**
 * The first matching rule from top to bottom, otherwise the baseline, which may be another policy's. Undefined if a
 * rule fails.
 */
export function workflowFor(
  policies: readonly Policy[],
  policy: Policy,
  task: { description: string; userId: string },
): Workflow | undefined {
  const stepsAt = (key: string) => policy.policySteps[key]?.steps
  for (const { condition, policyKey } of policy.rules ?? []) {
    const answer = CONDITIONS[condition]?.(task)
    if (answer === undefined) return undefined
    if (answer) return { steps: stepsAt(policyKey) ?? [], source: policy }
  }
  const steps = stepsAt(baselineKey(policy.policyType))
  if (steps) return { steps, source: policy }
  const next = policies.find(({ id }) => id === policy.baselinePolicyId)
  return next && workflowFor(policies, next, task)
}

/** Applies a request to a policy, or to none. Absent fields stay, and empty annotations are removed. */
export function changed(before: Policy | undefined, given: GivenPolicy, now: string): Policy {
  const blank = {
    ...{ id: '', displayName: '', description: '', policyType: '', policySteps: {}, rules: null },
    ...{
      baselinePolicyId: '',
      postActions: null,
      scope: null,
      annotations: {},
      reassignTasksToDelegates: false,
    },
    ...{ systemBuiltin: false, createdAt: now, updatedAt: now, deletedAt: null },
  }
  const entries = Object.entries(given.policySteps ?? {}).map(([key, { steps }]) => [
    key,
    { steps: steps.map(whole) },
  ])
  const all = Object.entries({ ...before?.annotations, ...given.annotations }).filter(
    ([, value]) => value !== '',
  )
  return {
    ...(before ?? blank),
    ...given,
    ...(given.policySteps && { policySteps: Object.fromEntries(entries) }),
    annotations: Object.fromEntries(all),
    updatedAt: now,
  }
}

/** All kinds. Exactly one is set. */
function whole(step: Step): Step {
  return { ...Object.fromEntries(STEP_KINDS.map((kind) => [kind, null])), ...step }
}

/** Why a request may not change `before` into `after` (2.9, 8.2). */
export function refusalsOfPolicy(
  policies: readonly Policy[],
  before: Policy | undefined,
  after: Policy,
  given: GivenPolicy,
): string[] {
  const { id, policyType, policySteps, rules, baselinePolicyId } = after
  const baseline = baselineKey(policyType)
  const keys = Object.keys(policySteps)
  const isTooShort = Object.values(given.policySteps ?? {}).some(({ steps }) => steps.length === 0)
  const isWrong =
    keys.includes(baseline) === (baselinePolicyId !== '') || // exactly one of the two
    keys.some((key) => key !== baseline && !OTHER_KEYS.includes(key)) ||
    (rules ?? []).some(({ policyKey }) => !keys.includes(policyKey)) ||
    (baselinePolicyId !== '' && isBadReference(policies, id, policyType, baselinePolicyId)) ||
    Object.keys(after.annotations).length > 16 ||
    Object.entries(given.annotations ?? {}).some((entry) => isBadAnnotation(...entry))
  return [
    ...(before?.systemBuiltin ? ['409 policy_builtin'] : []),
    ...(isTooShort ? ['400 request_invalid'] : []),
    ...(isWrong && !before?.systemBuiltin ? ['400 policy_invalid'] : []),
  ]
}

/** True if the reference has another type, or makes a circle or a chain of more than 5 (2.9, 8.2). */
function isBadReference(
  policies: readonly Policy[],
  id: string,
  policyType: string,
  reference: string,
): boolean {
  const next = new Map(policies.map((each) => [each.id, each.baselinePolicyId]))
  if (policies.find((each) => each.id === reference)?.policyType !== policyType) return true
  next.set(id, reference)
  const lengthFrom = (start: string) => {
    let length = 0
    for (let at = next.get(start); at !== '' && at !== undefined && length < 6; at = next.get(at)) length += 1
    return length
  }
  return [...next.keys()].some((start) => lengthFrom(start) > 5) // a circle has no end
}

function isBadAnnotation(key: string, value: string): boolean {
  const isSafe = /^[!#$%&'()*+,\-./:;=?@[\]_~A-Za-z0-9]*$/
  return (
    key === '' ||
    key.length > 128 ||
    value.length > 256 ||
    !isSafe.test(key) ||
    !isSafe.test(value) ||
    key.startsWith('c1/')
  )
}
