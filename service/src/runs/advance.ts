import { CelError, type Evaluate, rememberedCel } from '../cel/evaluate.ts'
import type { Queryable, Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { Problem } from '../http/problem.ts'
import { MOST_ATTEMPTS } from '../jobs/queue.ts'
import { type DueStep, dueStep, lockStep } from './due-step.ts'
import { foreseeStep, performStep } from './effects.ts'

/** What became of a step: its outcome as JSON, or why it failed, for those who wrote it. */
type StepEnd =
  | { readonly outcome: string; readonly error?: undefined }
  | { readonly error: { readonly code: string; readonly detail: string } }

/** Evaluates what the step will ask for, before its transaction. */
export async function foresee(database: Queryable, { step, ctx }: DueStep): Promise<Evaluate> {
  const evaluate = rememberedCel()
  await foreseeStep(database, step, ctx, evaluate)
  return evaluate
}

/**
 * Does the step of a run that is due, and writes that it was done, in one transaction: who dies in between has done
 * nothing, and who comes after finds the same step due. Two who work on one run wait for each other.
 *
 * @returns Whether the run is over.
 */
export async function advanceRun(
  tx: Transaction,
  dependencies: Dependencies,
  due: DueStep,
  evaluate: Evaluate,
): Promise<boolean> {
  if (!(await lockStep(tx, due))) return false
  const end = await attemptStep(tx, () => performStep(due.step, { ...due, tx, dependencies, evaluate }))
  const now = new Date(dependencies.clock.now())
  await writeStep(tx, due, end, now)
  const state = end.error ? 'RUN_STATE_FAILED' : due.isLast ? 'RUN_STATE_SUCCEEDED' : 'RUN_STATE_RUNNING'
  const over = state !== 'RUN_STATE_RUNNING'
  await tx.query('UPDATE runs SET next_position = $2, state = $3, finished_at = $4 WHERE id = $1', [
    due.run.id,
    due.position + 1,
    state,
    over ? now : null,
  ])
  return over
}

/** Ends a run whose job was tried too often: it kills whoever works on it, or the database never lets it through. */
export async function giveRunUp(tx: Transaction, { clock }: Dependencies, runId: string): Promise<void> {
  const due = await dueStep(tx, runId)
  if (due === undefined || !(await lockStep(tx, due))) return
  const now = new Date(clock.now())
  const detail = `The run was begun ${MOST_ATTEMPTS} times, and each time this step failed or its process ended.`
  await writeStep(tx, due, { error: { code: 'given_up', detail } }, now)
  await tx.query("UPDATE runs SET state = 'RUN_STATE_FAILED', finished_at = $2 WHERE id = $1", [runId, now])
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

/** What would fail again, however often it were tried. Undefined for everything else: the database, a bug. */
function failureOf(cause: unknown): { code: string; detail: string } | undefined {
  if (cause instanceof Problem) return { code: cause.code, detail: cause.message }
  if (cause instanceof CelError) return { code: 'expression_failed', detail: cause.message }
  const isDataException = /^22...$/.test(String(Reflect.get(Object(cause), 'code'))) // a NUL in a text, say
  return isDataException
    ? { code: 'text_not_storable', detail: 'The database cannot keep a value that the expressions gave.' }
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
