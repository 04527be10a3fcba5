import type { Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { Problem } from '../http/problem.ts'
import { lockBaselines } from './baseline.ts'
import { lockPolicy } from './write.ts'

/**
 * Deletes a policy. New tasks cannot use it. Its running tasks continue with the steps they began with.
 *
 * @throws Problem `policy_unknown`, `policy_builtin`, and `policy_in_use` while another policy defers its baseline to it.
 */
export async function deletePolicy(
  tx: Transaction,
  id: string,
  { clock }: Pick<Dependencies, 'clock'>,
): Promise<void> {
  await lockPolicy(tx, id)
  await lockBaselines(tx)
  const [deferring] = await tx.query<{ id: string }>(
    'SELECT id FROM policies WHERE baseline_policy_id = $1 AND deleted_at IS NULL LIMIT 1',
    [id],
  )
  if (deferring !== undefined) {
    throw new Problem('policy_in_use', `Policy ${deferring.id} defers its baseline to this one.`)
  }
  await tx.query('UPDATE policies SET deleted_at = $2, updated_at = $2 WHERE id = $1', [
    id,
    new Date(clock.now()),
  ])
}
