import type { Transaction } from '../database/database.ts'
import { Problem } from '../http/problem.ts'

/** The most references in one chain of policies (specification, 8.2). */
const MAX_DEPTH = 5

const DOWNWARD = `WITH RECURSIVE chain (id, next, depth) AS (
  SELECT id, baseline_policy_id, 0 FROM policies WHERE id = $1
  UNION ALL SELECT policies.id, baseline_policy_id, depth + 1 FROM policies JOIN chain ON policies.id = next
) SELECT id, depth FROM chain`

const UPWARD = `WITH RECURSIVE chain (id, depth) AS (
  SELECT $1::text COLLATE "C", 0
  UNION ALL SELECT policies.id, depth + 1 FROM policies JOIN chain ON baseline_policy_id = chain.id
    WHERE deleted_at IS NULL
) SELECT max(depth)::int AS depth FROM chain`

/** Locks the references between policies until the transaction ends. Nobody else can add one, or delete its target. */
export async function lockBaselines(tx: Transaction): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('hookgate-service baselines', 0))")
}

/**
 * Checks that `policyId` may defer its baseline to `baselinePolicyId`. Takes a lock until the transaction ends, because
 * two valid references could form a cycle together.
 *
 * @throws Problem `policy_invalid` for another type, a cycle, or a chain of more than 5 references.
 */
export async function checkBaseline(
  tx: Transaction,
  policyId: string,
  policyType: string,
  baselinePolicyId: string,
): Promise<void> {
  await lockBaselines(tx)
  if (baselinePolicyId === policyId) refuse('must not be the policy itself')
  const [target] = await tx.query<{ policy_type: string }>(
    'SELECT policy_type FROM policies WHERE id = $1 AND deleted_at IS NULL',
    [baselinePolicyId],
  )
  if (target === undefined) refuse('names no policy')
  if (target.policy_type !== policyType) refuse(`must have the same type, ${policyType}`)
  const below = await tx.query<{ id: string; depth: number }>(DOWNWARD, [baselinePolicyId])
  if (below.some(({ id }) => id === policyId)) refuse('must not lead back to the policy')
  const [above] = await tx.query<{ depth: number }>(UPWARD, [policyId])
  const depth = (above?.depth ?? 0) + 1 + Math.max(...below.map((each) => each.depth))
  if (depth > MAX_DEPTH) refuse(`makes a chain of ${depth} references; ${MAX_DEPTH} are allowed`)
}

function refuse(rule: string): never {
  throw new Problem('policy_invalid', `baselinePolicyId ${rule}.`)
}
