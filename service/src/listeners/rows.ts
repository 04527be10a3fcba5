import type { Queryable, Transaction } from '../database/database.ts'
import { Problem } from '../http/problem.ts'

/** What decides over deliveries, besides the secrets. */
export interface ListenerRow {
  readonly id: string
  readonly enabled: boolean
  readonly allowed_cidrs: string[] | null
  readonly jwks_url: string | null
  readonly revision: number
}

export const COLUMNS = 'id, enabled, allowed_cidrs, jwks_url, revision'

export async function findListener(database: Queryable, id: string): Promise<ListenerRow | undefined> {
  const [row] = await database.query<ListenerRow>(`SELECT ${COLUMNS} FROM listeners WHERE id = $1`, [id])
  return row
}

/** Takes its lock, and raises the revision: every process compiles the listener anew for its next delivery. */
export async function changeListener(
  tx: Transaction,
  column: 'id' | 'automation_id',
  id: string,
): Promise<ListenerRow> {
  const [row] = await tx.query<ListenerRow>(
    `UPDATE listeners SET revision = revision + 1 WHERE ${column} = $1 RETURNING ${COLUMNS}`,
    [id],
  )
  if (row === undefined) throw new Problem('listener_unknown', 'There is no listener with this ID.')
  return row
}
