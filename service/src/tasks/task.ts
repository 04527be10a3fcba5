import type { Caller } from '../http/bearer.ts'
import { withNulls } from '../http/exactly-one.ts'
import { iso } from '../http/timestamp.ts'
import {
  actorsOf,
  begun,
  type PolicyStepInstance,
  policyStep,
  STEP_KINDS,
  variantOf,
} from '../policies/step.ts'
import { actionsOf } from './actions/who-may.ts'
import type { Task } from './schema/task.ts'
import { TASK_KINDS, type TaskType } from './schema/task-type.ts'
import type { StepRow, StoredTask } from './store.ts'

/** Converts a stored task for a caller's response. */
export function taskOf(stored: StoredTask, caller: Caller): Task {
  const { workflowGenerationId: _, ...row } = stored.row
  const current = stored.steps.find(({ state }) => state === 'POLICY_STEP_STATE_ACTIVE')
  return {
    ...row,
    // It was validated as a TaskType before it was stored.
    type: withNulls(TASK_KINDS, row.type) as TaskType,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    deletedAt: iso(row.deletedAt),
    actions: actionsOf(current?.step, caller),
    stepApproverIds: current ? actorsOf(current.step) : [],
    policy: policyInstance(stored),
  }
}

function policyInstance({ row, steps, policy }: StoredTask): Task['policy'] {
  const instances = steps.flatMap((step) => instanceOf(step, row.workflowGenerationId) ?? [])
  return {
    current: instances.find(({ state }) => state === 'POLICY_STEP_STATE_ACTIVE') ?? null,
    history: instances.filter(({ state }) => state === 'POLICY_STEP_STATE_DONE'),
    next: steps.filter(({ state }) => state === null).map(({ step }) => policyStep(step)),
    policy: policy ?? null,
  }
}

/** A step that has begun. Its kind's object holds the policy's settings and how the step ended. */
function instanceOf(row: StepRow, policyGenerationId: string): PolicyStepInstance | undefined {
  if (row.instance_id === null || row.state === null) return undefined
  const [kind, variant] = variantOf(row.step)
  const members = withNulls(STEP_KINDS, { [kind]: { ...begun(kind, variant), ...row.outcome } })
  // `policyStepInput` validated it before it was stored.
  return { ...members, id: row.instance_id, policyGenerationId, state: row.state } as PolicyStepInstance
}
