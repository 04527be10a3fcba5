import type { Policy, Step } from './policies.ts'
import { barred, type Who } from './world.ts'

export interface TaskStep {
  step: Step
  /** Empty until a reply contains it. */
  id: string
  state: 'next' | 'POLICY_STEP_STATE_ACTIVE' | 'POLICY_STEP_STATE_DONE'
  /** How it ended, in the words of its instance. */
  end?: Readonly<Record<string, object>>
}

/** The known parts of an entry of the audit trail. The ID of its step is known once a reply contains it. */
export interface Audit {
  readonly entry: Readonly<Record<string, string>>
  readonly step?: TaskStep | undefined
  readonly id?: string
}

export interface Task {
  /** The fields that never change, as in a reply. */
  readonly fixed: Readonly<Record<string, unknown>> & { readonly id: string; readonly userId: string }
  readonly numericId: number
  readonly kind: string
  readonly target: Readonly<Record<string, unknown>>
  /** As it was when the task began. */
  readonly policy: Policy | undefined
  readonly policyGenerationId: string
  /** The generation of the policy that its steps come from. */
  readonly source: string
  /** As the policy defines them. */
  readonly workflow: readonly Step[]
  /** The steps that have begun, in order, and then the next ones. */
  steps: TaskStep[]
  readonly actions: object[]
  readonly audits: Audit[]
  readonly approverIds: string[]
  outcome: { readonly outcome: string; readonly outcomeTime: string | null }
  updatedAt: string
  commentCount: number
}

export const isOpen = (task: Task) => task.steps.some(({ state }) => state === 'POLICY_STEP_STATE_ACTIVE')
export const currentOf = (task: Task) => task.steps.find(({ state }) => state === 'POLICY_STEP_STATE_ACTIVE')

export function kindOf(step: Step | undefined): string {
  const [kind = ''] = Object.entries(step ?? {}).find(([, it]) => it !== null) ?? []
  return kind
}

/** The users who may act on the current step. */
export function actorsOf(task: Task): readonly unknown[] {
  const its = Object.values(currentOf(task)?.step ?? {}).find((each) => each !== null)
  return Reflect.get(Object(its), 'userIds') ?? []
}

/** The task as a caller sees it (specification, 2.6). */
export function taskOf(task: Task, who: Who) {
  const { steps, policy, policyGenerationId, updatedAt, commentCount } = task
  const current = currentOf(task)
  const instance = ({ step, id, state, end }: TaskStep) => {
    const members = Object.entries(step).map(([kind, it]) => [kind, it && { ...begun(kind, it), ...end }])
    return { ...Object.fromEntries(members), id, policyGenerationId: task.source, state }
  }
  return {
    ...task.fixed,
    ...{ policyGenerationId, updatedAt, commentCount, numericId: `${task.numericId}` },
    type: typeOf(task),
    approverIds: task.approverIds,
    state: current ? 'TASK_STATE_OPEN' : 'TASK_STATE_CLOSED',
    processing: current ? 'TASK_PROCESSING_TYPE_WAITING' : 'TASK_PROCESSING_TYPE_DONE',
    actions: actionsFor(task, who),
    stepApproverIds: actorsOf(task),
    policy: {
      current: current ? instance(current) : null,
      history: steps.filter(({ state }) => state === 'POLICY_STEP_STATE_DONE').map(instance),
      next: steps.filter(({ state }) => state === 'next').map(({ step }) => step),
      policy,
    },
  }
}

/** Every caller is Ada, so she may not decide a step that names others. */
export function mayDecide(task: Task): boolean {
  const actors = actorsOf(task)
  return actors.length === 0 || actors.includes('user-ada')
}

function actionsFor(task: Task, who: Who): string[] {
  if (barred(who, 'super_admin', 'operator').length > 0) return []
  const current = currentOf(task)
  const isAssigned = ['approval', 'provision'].includes(kindOf(current?.step))
  const names = [
    ...(current ? ['CLOSE', ...(mayDecide(task) ? ['APPROVE', 'DENY'] : [])] : []),
    'COMMENT',
    ...(isAssigned && (mayDecide(task) || who === 'super_admin') ? ['REASSIGN'] : []),
    ...(current ? ['RESTART', 'SKIP_STEP'] : []),
  ]
  return names.map((name) => `TASK_ACTION_TYPE_${name}`)
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

const blank = { appUserId: '', identityUserId: '' }

/** TaskType (2.7): one member is set. */
function typeOf({ kind, target, outcome }: Task): object {
  const none = { grant: null, revoke: null, certify: null, offboarding: null, action: null, finding: null }
  if (kind === 'offboarding' || kind === 'finding') return { ...none, [kind]: { ...target, ...outcome } }
  const review = kind === 'certify' && { accessReviewSelection: target.accessReviewId }
  return {
    ...none,
    [kind]: { ...blank, ...outcome, ...(kind !== 'certify' && { source: null }), ...target, ...review },
  }
}

export function refusalsAtStep(task: Task, policyStepId: string): string[] {
  const step = task.steps.find(({ id }) => id !== '' && id === policyStepId)
  if (step === undefined) return ['404 policy_step_unknown']
  if (!isOpen(task)) return ['409 task_closed']
  return step.state === 'POLICY_STEP_STATE_DONE' ? ['409 policy_step_done'] : []
}
