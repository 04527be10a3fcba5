import type { AutomationStep } from '../automations/steps.ts'
import type { CelContext } from '../cel/evaluate.ts'
import type { Queryable, Transaction } from '../database/database.ts'

/** A run and its due step. */
export interface DueStep {
  readonly run: { readonly id: string; readonly automationId: string }
  readonly position: number
  readonly step: AutomationStep
  readonly isLast: boolean
  readonly ctx: CelContext
  /** The author of the automation. */
  readonly userId: string
}

/** Undefined once the run is over. */
export async function dueStep(database: Queryable, runId: string): Promise<DueStep | undefined> {
  const [row] = await database.query<RunRow>(
    `SELECT r.id, r.automation_id, r.input, r.next_position AS position, v.steps, a.created_by_user_id AS user_id
     FROM runs r JOIN automations a ON a.id = r.automation_id
     JOIN automation_versions v ON v.automation_id = r.automation_id AND v.version = r.version
     WHERE r.id = $1 AND r.finished_at IS NULL`,
    [runId],
  )
  const step = row?.steps[row.position]
  return (
    row &&
    step && {
      run: { id: row.id, automationId: row.automation_id },
      position: row.position,
      step,
      isLast: row.position + 1 === row.steps.length,
      ctx: `{"trigger":${row.input}}`,
      userId: row.user_id,
    }
  )
}

interface RunRow {
  readonly id: string
  readonly automation_id: string
  readonly input: string
  readonly position: number
  readonly steps: AutomationStep[]
  readonly user_id: string
}

/** Locks the run until the transaction ends. False if the step has already been done. */
export async function lockStep(tx: Transaction, { run, position }: DueStep): Promise<boolean> {
  const locked = await tx.query(
    'SELECT FROM runs WHERE id = $1 AND next_position = $2 AND finished_at IS NULL FOR UPDATE',
    [run.id, position],
  )
  return locked.length > 0
}
