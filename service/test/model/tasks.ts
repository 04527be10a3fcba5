import type { Policy, Step } from './policies.ts'
import { barred, type Who, type World } from './world.ts'

interface TaskStep {
  readonly step: Step
  id: string
  state: 'next' | 'POLICY_STEP_STATE_ACTIVE' | 'POLICY_STEP_STATE_DONE'
  skipped?: object
}

export interface Task {
  /** What never changes, as it is answered. */
  readonly fixed: Readonly<Record<string, unknown>> & { readonly id: string; readonly userId: string }
  readonly numericId: number
  readonly target: Readonly<Record<string, unknown>>
  /** As it was when the task began. */
  readonly policy: Policy | undefined
  readonly policyGenerationId: string
  readonly steps: readonly TaskStep[]
  readonly actions: object[]
  updatedAt: string
  commentCount: number
}

export const isOpen = (task: Task) => task.steps.some(({ state }) => state === 'POLICY_STEP_STATE_ACTIVE')
export const currentOf = (task: Task) => task.steps.find(({ state }) => state === 'POLICY_STEP_STATE_ACTIVE')

/** Who may act on the current step. */
export function actorsOf(task: Task): readonly unknown[] {
  const its = Object.values(currentOf(task)?.step ?? {}).find((each) => each !== null)
  return Reflect.get(Object(its), 'userIds') ?? Reflect.get(Object(its), 'users')?.userIds ?? []
}

/** The task as a caller sees it (specification, 2.6). */
export function taskOf(task: Task, who: Who) {
  const { steps, policy, policyGenerationId, updatedAt, commentCount } = task
  const current = currentOf(task)
  const instance = ({ step, id, state, skipped }: TaskStep) => {
    const members = Object.entries(step).map(([kind, it]) => [
      kind,
      it && { ...begun(kind, it), ...(skipped && { skipped }) },
    ])
    return { ...Object.fromEntries(members), id, policyGenerationId, state }
  }
  return {
    ...task.fixed,
    ...{ policyGenerationId, updatedAt, commentCount, numericId: `${task.numericId}` },
    state: current ? 'TASK_STATE_OPEN' : 'TASK_STATE_CLOSED',
    processing: current ? 'TASK_PROCESSING_TYPE_WAITING' : 'TASK_PROCESSING_TYPE_DONE',
    actions:
      current && barred(who, 'super_admin', 'operator').length === 0 ? ['TASK_ACTION_TYPE_SKIP_STEP'] : [],
    stepApproverIds: actorsOf(task),
    policy: {
      current: current ? instance(current) : null,
      history: steps.filter(({ state }) => state === 'POLICY_STEP_STATE_DONE').map(instance),
      next: steps.filter(({ state }) => state === 'next').map(({ step }) => step),
      policy,
    },
  }
}

function begun(kind: string, it: object): object {
  const rest = [
    'automation',
    'batonResourceActionInstance',
    'clientIdApprovalInstance',
    'success',
    'denied',
    'error',
    'cancelled',
  ]
  return kind === 'action' ? { action: it, ...Object.fromEntries(rest.map((name) => [name, null])) } : it
}

const blank = { appUserId: '', identityUserId: '', outcomeTime: null }

/** TaskType (2.7): one member is set. */
export function typeOf(kind: string, target: Record<string, unknown>): object {
  const none = { grant: null, revoke: null, certify: null, offboarding: null, action: null, finding: null }
  const outcome = `${kind === 'finding' ? 'FINDING_TASK' : kind.toUpperCase()}_OUTCOME_UNSPECIFIED`
  if (kind === 'offboarding' || kind === 'finding')
    return { ...none, [kind]: { ...target, outcome, outcomeTime: null } }
  const review = kind === 'certify' && { accessReviewSelection: target.accessReviewId }
  return {
    ...none,
    [kind]: { ...blank, outcome, ...(kind !== 'certify' && { source: null }), ...target, ...review },
  }
}

export function refusalsOfSkip(task: Task, policyStepId: string): string[] {
  const step = task.steps.find(({ id }) => id !== '' && id === policyStepId)
  if (step === undefined) return ['404 policy_step_unknown']
  if (!isOpen(task)) return ['409 task_closed']
  return step.state === 'POLICY_STEP_STATE_DONE' ? ['409 policy_step_done'] : []
}

/** The step is done and the next one active, under the ID that a reply gave it (3.2). */
export function skipped(
  world: World,
  task: Task,
  {
    policyStepId,
    comment,
    ticketActionId,
  }: { policyStepId: string; comment: string; ticketActionId: string },
  nextId: string | undefined,
): void {
  const [current, next] = [currentOf(task), task.steps.find(({ state }) => state === 'next')]
  const userId = 'user-ada'
  if (current) current.skipped = { skippedAt: world.now, userId, comment }
  if (current) current.state = 'POLICY_STEP_STATE_DONE'
  if (next)
    Object.assign(next, { id: world.fresh(nextId ?? 'no next step'), state: 'POLICY_STEP_STATE_ACTIVE' })
  task.updatedAt = world.now
  task.commentCount += comment === '' ? 0 : 1
  const type = 'TASK_ACTION_TYPE_SKIP_STEP'
  const id = world.fresh(ticketActionId)
  task.actions.push({ id, taskId: task.fixed.id, type, policyStepId, comment, userId, createdAt: world.now })
}
