import { CelError, type Evaluate } from '../cel/evaluate.ts'
import type { Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { Problem } from '../http/problem.ts'
import { memberOf } from '../member-of.ts'
import { type DueStep, dueStep, lockStep } from './due-step.ts'
import { performStep } from './effects.ts'
import { MOST_ATTEMPTS } from './queue.ts'

/** The result of a step: its outcome as JSON, or the reason for its failure, for the author of the automation. */
interface StepEnd {
  readonly outcome: string | null
  readonly error: { readonly code: string; readonly detail: string } | null
}

/** How a run ended. Undefined if it goes on, or another worker was faster. */
type RunEnd = 'succeeded' | 'failed' | undefined

/**
 * Performs the due step of a run and records it, in one transaction. If the process dies in between, the step is still
 * due. Concurrent workers on one run wait for each other.
 */
export async function advanceRun(
  tx: Transaction,
  dependencies: Dependencies,
  due: DueStep,
  evaluate: Evaluate,
): Promise<RunEnd> {
  if (!(await lockStep(tx, due))) return undefined
  const end = await attemptStep(tx, () => performStep(due.step, { ...due, tx, dependencies, evaluate }))
  return endStep(tx, dependencies, due, end)
}

/** Ends a run after too many attempts, because it kills its process or the database keeps failing. */
export async function giveRunUp(tx: Transaction, dependencies: Dependencies, runId: string): Promise<RunEnd> {
  const due = await dueStep(tx, runId)
  if (due === undefined || !(await lockStep(tx, due))) return undefined
  const detail = `The run was attempted ${MOST_ATTEMPTS} times, and each time this step failed or its process died.`
  return endStep(tx, dependencies, due, { outcome: null, error: { code: 'given_up', detail } })
}

async function attemptStep(tx: Transaction, perform: () => Promise<object>): Promise<StepEnd> {
  await tx.query('SAVEPOINT step')
  try {
    return { outcome: JSON.stringify(await perform()), error: null }
  } catch (cause) {
    const error = failureOf(cause)
    if (error === undefined) throw cause
    await tx.query('ROLLBACK TO SAVEPOINT step')
    return { outcome: null, error }
  }
}

/** Finds a permanent failure, which no retry could fix. Undefined for other failures, e.g. of the database. */
function failureOf(cause: unknown): NonNullable<StepEnd['error']> | undefined {
  if (cause instanceof Problem) return { code: cause.code, detail: cause.message }
  if (cause instanceof CelError) return { code: 'expression_failed', detail: cause.message }
  const isDataException = /^22...$/.test(String(memberOf(cause, 'code'))) // e.g. NUL in a text
  return isDataException
    ? { code: 'text_not_storable', detail: 'The database cannot store a value that an expression returned.' }
    : undefined
}

async function endStep(
  tx: Transaction,
  { clock }: Dependencies,
  { runId, position, step, isLast }: DueStep,
  { outcome, error }: StepEnd,
): Promise<RunEnd> {
  const now = new Date(clock.now())
  await tx.query(
    `INSERT INTO run_steps (run_id, position, type, state, outcome, error_code, error_detail, finished_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      runId,
      position,
      step.type,
      error ? 'RUN_STEP_STATE_FAILED' : 'RUN_STEP_STATE_DONE',
      outcome,
      error?.code ?? null,
      error?.detail ?? null,
      now,
    ],
  )
  const state = error ? 'RUN_STATE_FAILED' : isLast ? 'RUN_STATE_SUCCEEDED' : 'RUN_STATE_RUNNING'
  // A begun run comes before those that wait. Each step has its own attempts.
  await tx.query(
    `UPDATE runs SET next_position = $2, state = $3, finished_at = $4, due_at = '-infinity', attempts = 0
     WHERE id = $1`,
    [runId, position + 1, state, error || isLast ? now : null],
  )
  if (error) return 'failed'
  return isLast ? 'succeeded' : undefined
}
