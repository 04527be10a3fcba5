import type { AutomationStep, StepOf } from '../automations/steps.ts'
import { type CelContext, CelError, type Evaluate } from '../cel/evaluate.ts'
import type { CelValue } from '../cel/json.ts'
import type { Queryable, Transaction } from '../database/database.ts'
import type { Caller } from '../http/bearer.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { Problem } from '../http/problem.ts'
import { comment as commentSchema, MAX_COMMENT_LENGTH } from '../tasks/actions/schema.ts'
import { skipStep } from '../tasks/actions/skip-step.ts'
import { momentOf } from '../tasks/audit/record.ts'
import { createTask } from '../tasks/create-task.ts'
import { foreseeTask } from '../tasks/plan-task.ts'
import { createTaskRequest } from '../tasks/schema/requests.ts'
import { lockTask } from '../tasks/store.ts'

/** What a step needs. All its writes go through `tx`, which also records that it was done. */
export interface StepContext {
  readonly tx: Transaction
  readonly dependencies: Dependencies
  readonly ctx: CelContext
  readonly evaluate: Evaluate
  readonly run: { readonly id: string; readonly automationId: string }
  /** The author of the automation, on whose behalf tasks and actions are written. */
  readonly userId: string
}

/**
 * Performs the step and returns its outcome.
 *
 * @throws CelError | Problem for permanent failures, which no retry could fix.
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

/**
 * Fills the cache of `evaluate` with what the step needs in its transaction. Ignores failures, which the step will
 * record.
 */
export async function foreseeStep(
  database: Queryable,
  step: AutomationStep,
  ctx: CelContext,
  evaluate: Evaluate,
  automationId: string,
): Promise<void> {
  const { type, ...expressions } = step
  const given = Object.values(expressions).flatMap((expression) => expression ?? [])
  await Promise.allSettled(given.map((expression) => evaluate(expression, ctx, automationId)))
  if (step.type !== 'create_task') return
  await taskOf(step, ctx, evaluate, automationId)
    .then((task) => foreseeTask(database, task, evaluate))
    .catch(() => {})
}

async function skip(step: StepOf<'skip_step'>, context: StepContext): Promise<object> {
  const { tx, dependencies, ctx, evaluate, run } = context
  const task = await lockTask(tx, idOf(await evaluate(step.taskIdCel, ctx, run.automationId)))
  const policyStepId = step.policyStepIdCel
    ? await textOf(step.policyStepIdCel, context)
    : await currentStep(tx, task.id)
  const comment = step.commentCel ? await textOf(step.commentCel, context) : ''
  if (!commentSchema.safeParse(comment).success)
    throw new Problem('request_invalid', `commentCel returns more than ${MAX_COMMENT_LENGTH} characters`)
  const done = await skipStep(
    tx,
    { taskId: task.id, policyStepId, comment, caller: authorOf(context) },
    momentOf(dependencies),
  )
  return { ...done, policyStepId }
}

async function create(step: StepOf<'create_task'>, context: StepContext): Promise<object> {
  const { tx, dependencies, ctx, evaluate, run } = context
  const given = await taskOf(step, ctx, evaluate, run.automationId)
  return { taskId: await createTask(tx, given, authorOf(context), { ...dependencies, evaluate }) }
}

/** An automation acts as its author, who was a super admin, even after the author's tokens are revoked. */
function authorOf({ userId, run }: StepContext): Caller {
  return { userId, roles: ['super_admin'], skipsAnyStep: true, runId: run.id }
}

async function taskOf(
  { taskCel }: StepOf<'create_task'>,
  ctx: CelContext,
  evaluate: Evaluate,
  automationId: string,
) {
  const { success, data: task, error } = newTask.safeParse(await evaluate(taskCel, ctx, automationId))
  if (success) return { origin: 'TASK_ORIGIN_AUTOMATION' as const, ...task }
  const [issue] = error.issues
  throw new Problem(
    'request_invalid',
    `taskCel returns an invalid task: ${issue?.path.join('.')}: ${issue?.message}`,
  )
}

const newTask = createTaskRequest.omit({ expandMask: true })

async function record({ valueCel }: StepOf<'record'>, context: StepContext): Promise<object> {
  const { tx, dependencies, ctx, evaluate, run } = context
  const recordId = dependencies.newId()
  const value = jsonOf(await evaluate(valueCel, ctx, run.automationId))
  await tx.query(
    'INSERT INTO records (id, automation_id, run_id, value, created_at) VALUES ($1, $2, $3, $4, $5)',
    [recordId, run.automationId, run.id, value, new Date(dependencies.clock.now())],
  )
  return { recordId }
}

/** `JSON.stringify` fails at a few thousand levels, fewer than a body can have. */
function jsonOf(value: CelValue): string {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new CelError('returns JSON with too many levels', { cause })
  }
}

/** A whole JSON number is a numeric ID. */
function idOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Number.isSafeInteger(value)) return `${value}`
  throw new CelError('taskIdCel must return a string or a whole number')
}

async function textOf(expression: string, { ctx, evaluate, run }: StepContext): Promise<string> {
  const value = await evaluate(expression, ctx, run.automationId)
  if (typeof value === 'string') return value
  throw new CelError(`must return a string: ${expression}`)
}

async function currentStep(tx: Transaction, taskId: string): Promise<string> {
  const [step] = await tx.query<{ id: string }>(
    "SELECT instance_id AS id FROM task_steps WHERE task_id = $1 AND state = 'POLICY_STEP_STATE_ACTIVE'",
    [taskId],
  )
  if (step === undefined) throw new Problem('task_closed', 'The task has no current step.')
  return step.id
}
