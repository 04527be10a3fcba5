import {
  baselineKey,
  CONDITIONS,
  changed,
  type GivenPolicy,
  OTHER_KEYS,
  type Policy,
  refusalsOfPolicy,
  STEP_KINDS,
  type Step,
} from './policies.ts'
import { barred, judge, same, type Who, type World } from './world.ts'

const TYPES = ['GRANT', 'REVOKE', 'CERTIFY', 'ACCESS_REQUEST', 'PROVISION'].map(
  (word) => `POLICY_TYPE_${word}`,
)
const PATH = '/api/v1/policies'
const ANSWERED = Object.keys(CONDITIONS).slice(0, 4)

/** Creates or changes a policy. */
export async function writePolicy(world: World): Promise<void> {
  const { random, policies } = world
  const who = world.mostly('super_admin')
  const isNew = random.chance(policies.length < 60 ? 0.5 : 0.05)
  const before = isNew ? undefined : random.pick(policies)
  const policyType = before?.policyType ?? random.pick(random.chance(0.7) ? TYPES.slice(0, 1) : TYPES)
  const given: GivenPolicy = {
    ...settings(world, policyType),
    ...(isNew && { displayName: 'P', policyType }),
  }
  const reply = before ? await update(world, who, before, given) : await world.ask(who, 'POST', PATH, given)
  const after = changed(before, given, world.now)
  const no = barred(who, 'super_admin')
  if (!judge(reply, no.length > 0 ? no : refusalsOfPolicy(policies, before, after, given))) return
  const id = before?.id ?? world.fresh(reply.body.policy.id)
  const policy = { ...after, id }
  same(reply.body, { policy })
  if (before) policies.splice(policies.indexOf(before), 1, policy)
  else policies.push(policy)
}

/** By PATCH, or by POST with a mask, which ignores the rest of the object. */
function update(world: World, who: Who, before: Policy, given: GivenPolicy) {
  const { random } = world
  const path = `${PATH}/${before.id}`
  const names = Object.keys(given).map((name) => name.replace(/[A-Z]/g, (it) => `_${it.toLowerCase()}`))
  return random.pick([
    () => world.ask(who, 'PATCH', path, given),
    () => world.ask(who, 'POST', path, { policy: given }),
    () => {
      const policy = names.length === 0 ? {} : { ...before, ...given }
      return world.ask(who, 'POST', path, {
        policy,
        updateMask: random.pick([names, Object.keys(given)]).join(),
      })
    },
  ])()
}

/** The tasks of a deleted policy continue. */
export async function deletePolicy(world: World): Promise<void> {
  const { random, policies } = world
  const who = world.mostly('super_admin')
  const policy = random.chance(0.1) ? undefined : random.pick(policies)
  const reply = await world.ask(who, 'DELETE', `${PATH}/${policy?.id ?? 'none'}`)
  const isInUse = policies.some(({ baselinePolicyId }) => baselinePolicyId === policy?.id)
  const no = barred(who, 'super_admin')
  if (no.length === 0 && policy === undefined) no.push('404 policy_unknown')
  else if (no.length === 0 && policy?.systemBuiltin) no.push('409 policy_builtin')
  else if (no.length === 0 && isInUse) no.push('409 policy_in_use')
  if (judge(reply, no) && policy) policies.splice(policies.indexOf(policy), 1)
}

export async function readPolicy(world: World): Promise<void> {
  const { random, policies } = world
  const id = random.chance(0.1) ? 'none' : random.pick(policies).id
  const reply = await world.ask('viewer', 'GET', `/api/v1/policies/${id}`)
  const policy = policies.find((each) => each.id === id)
  if (judge(reply, policy ? [] : ['404 policy_unknown'])) same(reply.body, { policy })
}

function settings({ random, policies }: World, policyType: string): GivenPolicy {
  const baseline = baselineKey(policyType)
  const defers = random.chance(0.5)
  const keys = [
    ...random.some([baseline], defers ? 0.05 : 0.95),
    ...random.some(OTHER_KEYS),
    ...random.some(['extra'], 0.03),
  ]
  const steps = () => ({
    steps: Array.from({ length: random.chance(0.02) ? 0 : 1 + random.below(4) }, () => randomStep(random)),
  })
  const rule = () => ({
    ...(random.chance(0.3) && { stepKey: 'kept', policyId: null }),
    condition: random.pick(random.chance(0.9) ? ANSWERED : Object.keys(CONDITIONS)),
    policyKey: random.pick([...keys, ...random.some([baseline, 'none'], 0.05)]),
  })
  const rules = random.chance(0.4) || keys.length === 0 ? null : Array.from({ length: random.below(4) }, rule)
  const near = policies.filter((each) => each.policyType === policyType && !each.systemBuiltin)
  const deferring = near.filter((each) => each.baselinePolicyId !== '')
  const references = random
    .pick([near, near.slice(-2), deferring.slice(-2), deferring.slice(-2), policies])
    .map(({ id }) => id)
  return {
    ...(random.chance(0.9) && { policySteps: Object.fromEntries(keys.map((key) => [key, steps()])), rules }),
    ...(defers && { baselinePolicyId: random.pick(references.length > 0 ? references : ['', 'none']) }),
    ...(!defers && random.chance(0.7) && { baselinePolicyId: '' }),
    ...(random.chance(0.3) && { annotations: annotations(random) }),
    ...(random.chance(0.1) && { description: 'D' }),
  }
}

function randomStep(random: World['random']): Step {
  const kind = random.pick(['approval', 'approval', 'approval', ...STEP_KINDS])
  const named = { userIds: random.some(['user-ada', 'user-alan', 'user-nobody']) }
  const message = random.chance(0.5) && { [`${kind}Message`]: 'by policy' }
  if (kind === 'accept' || kind === 'reject') return { [kind]: { ...message } }
  return { [kind]: ['approval', 'provision'].includes(kind) && random.chance(0.7) ? named : {} }
}

const ODD = ['k'.repeat(128), 'k'.repeat(129), '', 'c1/x', 'c1', 'é', 'https://x/?y=z']

function annotations(random: World['random']): Record<string, string> {
  const usual = random.some([...'abcdefghijklmnopqrst'], random.pick([0.1, 0.5, 0.8]))
  const values = random.pick([
    ['v', 'w'],
    ['v', 'w', ''],
    ['x'.repeat(256)],
    ['x'.repeat(257), ' ', 'v', 'v', 'v'],
  ])
  const keys = [...usual, ...random.some([random.pick(ODD)])]
  return Object.fromEntries(keys.map((key) => [key, random.pick(values)]))
}
