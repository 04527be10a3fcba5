import type { Transaction } from '../../database/database.ts'
import type { Caller } from '../../http/bearer.ts'
import type { Dependencies } from '../../http/dependencies.ts'
import type { TaskActionType } from '../schema/enums.ts'
import type { AuditEvent } from './schema.ts'

/** The time of a change, and a source of new IDs. */
export interface Moment extends Pick<Dependencies, 'newId'> {
  readonly now: Date
}

export function momentOf({ clock, newId }: Pick<Dependencies, 'clock' | 'newId'>): Moment {
  return { now: new Date(clock.now()), newId }
}

/** An entry of the audit trail. */
export interface AuditEntry {
  readonly taskId: string
  readonly event: AuditEvent
  /** The user. Undefined if the service acted automatically, as the policy prescribes. */
  readonly by?: Pick<Caller, 'userId' | 'runId'>
  /** The action type (2.6.2), if a user acted. */
  readonly action?: TaskActionType
  readonly policyStepId?: string
  readonly comment?: string
  readonly outcome?: string
}

/** Writes an entry of the audit trail. Updates the task's `updated_at` and number of comments. @returns Its ID. */
export async function audit(tx: Transaction, entry: AuditEntry, { now, newId }: Moment): Promise<string> {
  const { taskId, event, by, action = '', policyStepId = '', comment = '', outcome = '' } = entry
  const id = newId()
  await tx.query(
    `WITH entry AS (
       INSERT INTO task_audits (id, task_id, event, action, policy_step_id, comment, outcome, user_id, run_id, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10))
     UPDATE tasks SET updated_at = $10, comment_count = comment_count + CASE WHEN $6 = '' THEN 0 ELSE 1 END
     WHERE id = $2`,
    [id, taskId, event, action, policyStepId, comment, outcome, by?.userId ?? '', by?.runId ?? null, now],
  )
  return id
}
