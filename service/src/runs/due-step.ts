import type { AutomationStep } from '../automations/steps.ts'
import type { CelContext } from '../cel/evaluate.ts'
import type { Queryable, Transaction } from '../database/database.ts'

/** The next step of a run. */
export interface DueStep {
  readonly runId: string
  readonly automationId: string
  readonly position: number
  readonly step: AutomationStep
  readonly isLast: boolean
  readonly ctx: CelContext
  /** The author of the automation, on whose behalf tasks and actions are written. */
  readonly userId: string
}

/** Undefined once the run is over. */
export async function dueStep(database: Queryable, runId: string): Promise<DueStep | undefined> {
  const [due] = await database.query<DueStep>(
    `SELECT r.id AS "runId", r.automation_id AS "automationId", r.next_position AS position,
       v.steps -> r.next_position AS step, r.next_position + 1 = jsonb_array_length(v.steps) AS "isLast",
       '{"trigger":' || r.input || '}' AS ctx, a.created_by_user_id AS "userId"
     FROM runs r JOIN automations a ON a.id = r.automation_id
     JOIN automation_versions v ON v.automation_id = r.automation_id AND v.version = r.version
     WHERE r.id = $1 AND r.finished_at IS NULL`,
    [runId],
  )
  return due
}

/** Locks the run until the transaction ends. False if the step has already been done. */
export async function lockStep(tx: Transaction, { runId, position }: DueStep): Promise<boolean> {
  const locked = await tx.query(
    'SELECT FROM runs WHERE id = $1 AND next_position = $2 AND finished_at IS NULL FOR UPDATE',
    [runId, position],
  )
  return locked.length > 0
}
