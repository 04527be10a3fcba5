import type { AutomationStep, StepOf } from '../automations/steps.ts'
import { type CelContext, CelError, evaluateCel } from '../cel/evaluate.ts'
import type { Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { Problem } from '../http/problem.ts'
import { createTask } from '../tasks/create-task.ts'
import { createTaskRequest } from '../tasks/schema/requests.ts'
import { skipStep } from '../tasks/skip-step.ts'
import { lockTask } from '../tasks/store.ts'

/** What a step is done with. All that it writes goes through `tx`, which also writes that it was done. */
export interface StepContext {
  readonly tx: Transaction
  readonly dependencies: Dependencies
  readonly ctx: CelContext
  readonly run: { readonly id: string; readonly automationId: string }
  /** Whose automation it is: tasks and task actions name a user. */
  readonly userId: string
}

/**
 * Does the step, and tells what it did.
 *
 * @throws CelError | Problem for what would fail again, however often it were tried.
 */
export function performStep(step: AutomationStep, context: StepContext): Promise<object> {
  switch (step.type) {
    case 'skip_step':
      return skip(step, context)
    case 'create_task':
      return create(step, context)
    case 'record':
      return record(step, context)
  }
}

async function skip(step: StepOf<'skip_step'>, context: StepContext): Promise<object> {
  const { tx, dependencies, ctx, userId } = context
  const task = await lockTask(tx, idOf(await evaluateCel(step.taskIdCel, ctx)))
  const policyStepId = step.policyStepIdCel
    ? await textOf(step.policyStepIdCel, ctx)
    : await currentStep(tx, task.id)
  const comment = step.commentCel ? await textOf(step.commentCel, ctx) : undefined
  const done = await skipStep(tx, { taskId: task.id, policyStepId, comment, userId }, dependencies)
  return { ...done, policyStepId }
}

async function create({ taskCel }: StepOf<'create_task'>, context: StepContext): Promise<object> {
  const { tx, dependencies, ctx, userId } = context
  const { success, data: task, error } = newTask.safeParse(await evaluateCel(taskCel, ctx))
  if (!success) {
    const [issue] = error.issues
    throw new Problem('request_invalid', `taskCel gives no task: ${issue?.path.join('.')}: ${issue?.message}`)
  }
  const given = { origin: 'TASK_ORIGIN_AUTOMATION' as const, ...task }
  return { taskId: await createTask(tx, given, userId, dependencies) }
}

const newTask = createTaskRequest.omit({ expandMask: true })

async function record({ valueCel }: StepOf<'record'>, context: StepContext): Promise<object> {
  const { tx, dependencies, ctx, run } = context
  const recordId = dependencies.newId()
  const value = JSON.stringify(await evaluateCel(valueCel, ctx))
  await tx.query(
    'INSERT INTO records (id, automation_id, run_id, value, created_at) VALUES ($1, $2, $3, $4, $5)',
    [recordId, run.automationId, run.id, value, new Date(dependencies.clock.now())],
  )
  return { recordId }
}

/** A JSON number is a numeric ID when it is a whole one. */
function idOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Number.isSafeInteger(value)) return `${value}`
  throw new CelError('taskIdCel must give a text or a whole number')
}

async function textOf(expression: string, ctx: CelContext): Promise<string> {
  const value = await evaluateCel(expression, ctx)
  if (typeof value === 'string') return value
  throw new CelError(`must give a string: ${expression}`)
}

async function currentStep(tx: Transaction, taskId: string): Promise<string> {
  const [step] = await tx.query<{ id: string }>(
    "SELECT instance_id AS id FROM task_steps WHERE task_id = $1 AND state = 'POLICY_STEP_STATE_ACTIVE'",
    [taskId],
  )
  if (step === undefined) throw new Problem('task_closed', 'The task has no current step.')
  return step.id
}
