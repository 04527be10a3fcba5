import { CelError, type Evaluate, rememberedCel } from '../cel/evaluate.ts'
import type { Queryable, Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { Problem } from '../http/problem.ts'
import { memberOf } from '../member-of.ts'
import { type DueStep, dueStep, lockStep } from './due-step.ts'
import { foreseeStep, performStep } from './effects.ts'
import { MOST_ATTEMPTS } from './queue.ts'

/** The result of a step: its outcome as JSON, or the reason for its failure, for the author of the automation. */
type StepEnd =
  | { readonly outcome: string; readonly error?: undefined }
  | { readonly error: { readonly code: string; readonly detail: string } }

/** Evaluates the step's expressions before its transaction. */
export async function foresee(database: Queryable, { run, step, ctx }: DueStep): Promise<Evaluate> {
  const evaluate = rememberedCel()
  await foreseeStep(database, step, ctx, evaluate, run.automationId)
  return evaluate
}

/**
 * Performs the due step of a run and records it, in one transaction. If the process dies in between, the step is still
 * due. Concurrent workers on one run wait for each other.
 *
 * @returns How the run ended. Undefined if it goes on, or another worker was faster.
 */
export async function advanceRun(
  tx: Transaction,
  dependencies: Dependencies,
  due: DueStep,
  evaluate: Evaluate,
): Promise<'succeeded' | 'failed' | undefined> {
  if (!(await lockStep(tx, due))) return undefined
  const end = await attemptStep(tx, () => performStep(due.step, { ...due, tx, dependencies, evaluate }))
  const now = new Date(dependencies.clock.now())
  await writeStep(tx, due, end, now)
  const state = end.error ? 'RUN_STATE_FAILED' : due.isLast ? 'RUN_STATE_SUCCEEDED' : 'RUN_STATE_RUNNING'
  const over = state !== 'RUN_STATE_RUNNING'
  // A begun run comes before those that wait. Each step has its own attempts.
  await tx.query(
    `UPDATE runs SET next_position = $2, state = $3, finished_at = $4, due_at = '-infinity', attempts = 0
     WHERE id = $1`,
    [due.run.id, due.position + 1, state, over ? now : null],
  )
  if (end.error) return 'failed'
  return due.isLast ? 'succeeded' : undefined
}

/**
 * Ends a run after too many attempts, because it kills its process or the database keeps failing.
 *
 * @returns Undefined if another worker ended it.
 */
export async function giveRunUp(
  tx: Transaction,
  { clock }: Dependencies,
  runId: string,
): Promise<'failed' | undefined> {
  const due = await dueStep(tx, runId)
  if (due === undefined || !(await lockStep(tx, due))) return undefined
  const now = new Date(clock.now())
  const detail = `The run was attempted ${MOST_ATTEMPTS} times, and each time this step failed or its process died.`
  await writeStep(tx, due, { error: { code: 'given_up', detail } }, now)
  await tx.query("UPDATE runs SET state = 'RUN_STATE_FAILED', finished_at = $2 WHERE id = $1", [runId, now])
  return 'failed'
}

async function attemptStep(tx: Transaction, perform: () => Promise<unknown>): Promise<StepEnd> {
  await tx.query('SAVEPOINT step')
  try {
    return { outcome: JSON.stringify(await perform()) }
  } catch (cause) {
    const error = failureOf(cause)
    if (error === undefined) throw cause
    await tx.query('ROLLBACK TO SAVEPOINT step')
    return { error }
  }
}

/** Finds a permanent failure, which no retry could fix. Undefined for other failures, e.g. of the database. */
function failureOf(cause: unknown): { code: string; detail: string } | undefined {
  if (cause instanceof Problem) return { code: cause.code, detail: cause.message }
  if (cause instanceof CelError) return { code: 'expression_failed', detail: cause.message }
  const isDataException = /^22...$/.test(String(memberOf(cause, 'code'))) // e.g. NUL in a text
  return isDataException
    ? { code: 'text_not_storable', detail: 'The database cannot store a value that an expression returned.' }
    : undefined
}

async function writeStep(
  tx: Transaction,
  { run, position, step }: DueStep,
  end: StepEnd,
  now: Date,
): Promise<void> {
  const outcome = end.error ? null : end.outcome
  await tx.query(
    `INSERT INTO run_steps (run_id, position, type, state, outcome, error_code, error_detail, finished_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      run.id,
      position,
      step.type,
      end.error ? 'RUN_STEP_STATE_FAILED' : 'RUN_STEP_STATE_DONE',
      outcome,
      end.error?.code ?? null,
      end.error?.detail ?? null,
      now,
    ],
  )
}
