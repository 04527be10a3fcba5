import type { Queryable, Transaction } from '../database/database.ts'
import { Problem } from '../http/problem.ts'

/** What verification needs, apart from the secrets. */
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

/** Locks the listener and increments its revision, so that every process recompiles it for the next delivery. */
export async function changeListener(
  tx: Transaction,
  column: 'id' | 'automation_id',
  id: string,
): Promise<ListenerRow> {
  const [row] = await tx.query<ListenerRow>(
    `UPDATE listeners SET revision = revision + 1 WHERE ${column} = $1 RETURNING ${COLUMNS}`,
    [id],
  )
  if (row === undefined) throw new Problem('listener_unknown', 'No listener has this ID.')
  return row
}
