import type { Step } from './policies.ts'
import { currentOf, kindOf, type Task, type TaskStep } from './tasks.ts'
import type { World } from './world.ts'

/** For each kind of task, the names of its good end, its bad end and its cancellation (2.7). */
const OUTCOMES: Readonly<Record<string, readonly [accepted: string, denied: string]>> = {
  grant: ['GRANTED', 'DENIED'],
  revoke: ['REVOKED', 'DENIED'],
  certify: ['CERTIFIED', 'DECERTIFIED'],
  offboarding: ['DONE', 'CANCELLED'],
  finding: ['REMEDIATED', 'CANCELLED'],
}

type Verdict = 'accepted' | 'denied' | 'cancelled' | 'undecided'

export function outcomeOf(kind: string, verdict: Verdict, now: string): Task['outcome'] {
  const [accepted = '', denied = ''] = OUTCOMES[kind] ?? []
  const word = { accepted, denied, cancelled: 'CANCELLED', undecided: 'UNSPECIFIED' }[verdict]
  const prefix = kind === 'finding' ? 'FINDING_TASK' : kind.toUpperCase()
  return { outcome: `${prefix}_OUTCOME_${word}`, outcomeTime: verdict === 'undecided' ? null : now }
}

const steps = (workflow: readonly Step[]) =>
  workflow.map((step): TaskStep => ({ step, id: '', state: 'next' }))

/** Makes these steps the next ones. */
export function plan(task: Task, workflow: readonly Step[]): void {
  task.steps = [...task.steps.filter(({ state }) => state !== 'next'), ...steps(workflow)]
}

/** A user's action, as the lists of actions and of the audit trail show it. */
export function note(world: World, task: Task, { id, action, comment, step, runId = '' }: Noted): void {
  const type = `TASK_ACTION_TYPE_${action}`
  const [userId, policyStepId, createdAt] = ['user-ada', step?.id ?? '', world.now]
  task.actions.push({
    id: world.fresh(id),
    taskId: task.fixed.id,
    type,
    policyStepId,
    comment,
    userId,
    createdAt,
  })
  audit(world, task, { event: 'ACTION', action: type, comment, userId, runId }, step, id)
  if (comment !== '') task.commentCount += 1
}

interface Noted {
  readonly id: string
  readonly action: string
  readonly comment: string
  readonly step?: TaskStep | undefined
  readonly runId?: string
}

export function audit(
  world: World,
  task: Task,
  { event, ...more }: Readonly<Record<string, string>>,
  step?: TaskStep,
  id?: string,
): void {
  const blank = { taskId: task.fixed.id, action: '', comment: '', outcome: '', userId: '', runId: '' }
  const entry = { ...blank, ...more, event: `TASK_AUDIT_EVENT_${event}`, createdAt: world.now }
  task.audits.push({ entry, step, ...(id !== undefined && { id }) })
  task.updatedAt = world.now
}

/** Ends the current step, in the words of its instance. */
export function end(task: Task, member: string, it: object): void {
  const current = currentOf(task)
  if (current) Object.assign(current, { state: 'POLICY_STEP_STATE_DONE', end: { [member]: it } })
}

/** Begins the next step. The policy's own steps end at once. The task closes after the last one. */
export function moveOn(world: World, task: Task, verdict: Verdict): void {
  const next = task.steps.find(({ state }) => state === 'next')
  if (next === undefined) {
    close(world, task, verdict)
    return
  }
  next.state = 'POLICY_STEP_STATE_ACTIVE'
  const kind = kindOf(next.step)
  if (kind !== 'accept' && kind !== 'reject') return
  const comment = `${Reflect.get(Object(next.step[kind]), `${kind}Message`) ?? ''}`
  end(task, `${kind}ed`, { [`${kind}edAt`]: world.now, userId: '', comment })
  audit(world, task, { event: `${kind.toUpperCase()}ED_BY_POLICY`, comment }, next)
  if (comment !== '') task.commentCount += 1
  if (kind === 'reject') close(world, task, 'denied')
  else moveOn(world, task, 'accepted')
}

export function close(world: World, task: Task, verdict: Verdict): void {
  plan(task, [])
  task.outcome = outcomeOf(task.kind, verdict, world.now)
  audit(world, task, { event: 'CLOSED', outcome: task.outcome.outcome })
}

interface Shown {
  readonly current: { readonly id: string } | null
  readonly history: readonly { readonly id: string }[]
}

/** Sets the IDs of the steps that have begun, as a reply shows them. */
export function adopt(world: World, task: Task, { current, history }: Shown): void {
  const shown = [...history, ...(current ? [current] : [])]
  for (const [index, step] of task.steps.entries()) {
    if (step.id === '' && step.state !== 'next') step.id = world.fresh(shown[index]?.id ?? 'not shown')
  }
}
