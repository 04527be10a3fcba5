import { currentOf, isOpen, kindOf, mayDecide, refusalsAtStep, type Task } from './tasks.ts'
import { close, end, moveOn, plan } from './workflow.ts'
import type { Who, World } from './world.ts'

export type Given = Readonly<Record<string, unknown>>

export interface Kind {
  /** Its fields besides the comment and the mask. */
  readonly given?: (world: World, task: Task) => Given
  readonly refusals: (task: Task, given: Given, who: Who) => readonly string[]
  /** What happens to a task whose current step is this one. */
  readonly effect: (world: World, task: Task, it: { by: object; given: Given }) => void
}

const ofStep = (task: Task, { policyStepId }: Given) => refusalsAtStep(task, `${policyStepId}`)
const ofApprovers = (task: Task, given: Given) => {
  const refusals = ofStep(task, given)
  return refusals.length > 0 || mayDecide(task) ? refusals : ['403 forbidden']
}
const closed = (task: Task) => (isOpen(task) ? [] : ['409 task_closed'])
const approvers = (task: Task) => {
  if (!task.approverIds.includes('user-ada')) task.approverIds.push('user-ada')
}

/** Every action, by the last part of its path. */
export const KINDS: Readonly<Record<string, Kind>> = {
  'skip-step': {
    given: someStep,
    refusals: ofStep,
    effect: (world, task, { by }) => {
      end(task, 'skipped', { skippedAt: world.now, ...by })
      moveOn(world, task, 'undecided')
    },
  },
  approve: {
    given: someStep,
    refusals: ofApprovers,
    effect: (world, task, { by }) => {
      const kind = kindOf(currentOf(task)?.step)
      if (kind === 'approval') end(task, 'approved', { approvedAt: world.now, ...by })
      else end(task, kind === 'action' ? 'success' : 'completed', { completedAt: world.now, ...by })
      approvers(task)
      moveOn(world, task, 'accepted')
    },
  },
  deny: {
    given: someStep,
    refusals: ofApprovers,
    effect: (world, task, { by }) => {
      end(task, 'denied', { deniedAt: world.now, ...by })
      approvers(task)
      close(world, task, 'denied')
    },
  },
  reassign: {
    given: (world, task) => ({
      ...someStep(world, task),
      newStepUserIds: world.random.pick([
        ['user-ada'],
        ['user-alan', 'user-ada'],
        ['user-grace'],
        ['none'],
        [],
      ]),
    }),
    refusals: (task, given, who) => {
      if (Array.isArray(given.newStepUserIds) && given.newStepUserIds.length === 0)
        return ['400 request_invalid']
      const atStep = ofStep(task, given)
      if (atStep.length > 0) return atStep
      const isAssigned = ['approval', 'provision'].includes(kindOf(currentOf(task)?.step))
      return [
        ...(mayDecide(task) || who === 'super_admin' ? [] : ['403 forbidden']),
        ...(isAssigned ? [] : ['409 policy_step_unassigned']),
        ...(`${given.newStepUserIds}` === 'none' ? ['400 reference_unknown'] : []),
      ]
    },
    effect: (world, task, { by, given }) => {
      const step = currentOf(task)?.step ?? {}
      const [kind, next] = [kindOf(step), task.steps.filter(({ state }) => state === 'next')]
      const named = { ...Object(step[kind]), userIds: given.newStepUserIds }
      end(task, 'reassigned', { reassignedAt: world.now, ...by })
      plan(task, [{ ...step, [kind]: named }, ...next.map((each) => each.step)])
      moveOn(world, task, 'undecided')
    },
  },
  comment: {
    refusals: (_, { comment }) => (comment ? [] : ['400 request_invalid']),
    effect: () => {},
  },
  close: {
    refusals: closed,
    effect: (world, task, { by }) => {
      end(task, 'cancelled', { cancelledAt: world.now, ...by })
      close(world, task, 'cancelled')
    },
  },
  restart: {
    given: (world, task) => (world.random.chance(0.5) ? someStep(world, task) : {}),
    refusals: (task, given) => ('policyStepId' in given ? ofStep(task, given) : closed(task)),
    effect: (world, task, { by }) => {
      end(task, 'restarted', { restartedAt: world.now, ...by, oldPolicyStepId: currentOf(task)?.id })
      plan(task, task.workflow)
      moveOn(world, task, 'undecided')
    },
  },
}

/** The current step, usually. */
function someStep({ random, tasks }: World, task: Task): Given {
  const begun = task.steps.map((step) => step.id).filter((each) => each !== '')
  const other = random.pick([currentOf(random.pick(tasks))?.id ?? 'none', 'none', ''])
  return { policyStepId: random.pick([...Array(4).fill(begun.at(-1)), random.pick(begun), other]) }
}
