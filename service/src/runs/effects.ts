import type { AutomationStep, StepOf } from '../automations/steps.ts'
import { CelError, type Evaluate, rememberedCel } from '../cel/evaluate.ts'
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
import type { DueStep } from './due-step.ts'

/** What the expressions of a step need. */
interface Evaluation extends Pick<DueStep, 'ctx' | 'automationId'> {
  readonly evaluate: Evaluate
}

/** What a step needs. All its writes go through `tx`, which also records that it was done. */
interface StepContext extends Evaluation, Pick<DueStep, 'runId' | 'userId'> {
  readonly tx: Transaction
  readonly dependencies: Dependencies
}

/**
 * Evaluates what the step needs before its transaction. Ignores failures, which the step will record.
 *
 * @returns For the transaction, which has a result only to evaluate if something changed in between.
 */
export async function foresee(database: Queryable, due: DueStep): Promise<Evaluate> {
  const evaluation = { ...due, evaluate: rememberedCel() }
  const { type, ...expressions } = due.step
  const given = Object.values(expressions).flatMap((expression) => expression ?? [])
  await Promise.allSettled(given.map((expression) => resultOf(expression, evaluation)))
  if (due.step.type === 'create_task')
    await taskOf(due.step, evaluation)
      .then((task) => foreseeTask(database, task, evaluation.evaluate))
      .catch(() => {})
  return evaluation.evaluate
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

async function skip(step: StepOf<'skip_step'>, context: StepContext): Promise<object> {
  const { tx, dependencies } = context
  const task = await lockTask(tx, idOf(await resultOf(step.taskIdCel, context)))
  const policyStepId = step.policyStepIdCel
    ? await textOf(step.policyStepIdCel, context)
    : await currentStep(tx, task.id)
  const comment = step.commentCel ? await textOf(step.commentCel, context) : ''
  if (!commentSchema.safeParse(comment).success)
    throw new Problem('request_invalid', `commentCel returns more than ${MAX_COMMENT_LENGTH} characters`)
  const request = { taskId: task.id, policyStepId, comment, caller: authorOf(context) }
  return { ...(await skipStep(tx, request, momentOf(dependencies))), policyStepId }
}

async function create(step: StepOf<'create_task'>, context: StepContext): Promise<object> {
  const { tx, dependencies, evaluate } = context
  const given = await taskOf(step, context)
  return { taskId: await createTask(tx, given, authorOf(context), { ...dependencies, evaluate }) }
}

/** An automation acts as its author, who was a super admin, even after the author's tokens are revoked. */
function authorOf({ userId, runId }: StepContext): Caller {
  return { userId, roles: ['super_admin'], skipsAnyStep: true, runId }
}

async function taskOf({ taskCel }: StepOf<'create_task'>, evaluation: Evaluation) {
  const { success, data: task, error } = newTask.safeParse(await resultOf(taskCel, evaluation))
  if (success) return { origin: 'TASK_ORIGIN_AUTOMATION' as const, ...task }
  const [issue] = error.issues
  throw new Problem(
    'request_invalid',
    `taskCel returns an invalid task: ${issue?.path.join('.')}: ${issue?.message}`,
  )
}

const newTask = createTaskRequest.omit({ expandMask: true })

async function record({ valueCel }: StepOf<'record'>, context: StepContext): Promise<object> {
  const { tx, dependencies, automationId, runId } = context
  const recordId = dependencies.newId()
  const value = jsonOf(await resultOf(valueCel, context))
  await tx.query(
    'INSERT INTO records (id, automation_id, run_id, value, created_at) VALUES ($1, $2, $3, $4, $5)',
    [recordId, automationId, runId, value, new Date(dependencies.clock.now())],
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

function resultOf(expression: string, { evaluate, ctx, automationId }: Evaluation): Promise<CelValue> {
  return evaluate(expression, ctx, automationId)
}

/** A whole JSON number is a numeric ID. */
function idOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Number.isSafeInteger(value)) return `${value}`
  throw new CelError('taskIdCel must return a string or a whole number')
}

async function textOf(expression: string, evaluation: Evaluation): Promise<string> {
  const value = await resultOf(expression, evaluation)
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
