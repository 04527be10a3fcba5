import type { Queryable } from '../database/database.ts'
import type { Listing } from '../http/list.ts'
import { Problem } from '../http/problem.ts'
import { iso } from '../http/timestamp.ts'
import type { Annotations } from './annotations.ts'
import type { Policy, SearchPolicies } from './schema.ts'
import { policyStep, type StoredStep } from './step.ts'

export interface PolicyRow {
  readonly id: string
  readonly generation_id: string
  readonly display_name: string
  readonly description: string
  readonly policy_type: string
  readonly policy_steps: Readonly<Record<string, { readonly steps: readonly StoredStep[] }>>
  readonly rules: Policy['rules']
  readonly baseline_policy_id: string | null
  readonly post_actions: Policy['postActions']
  readonly scope: Policy['scope']
  readonly annotations: Annotations
  readonly system_builtin: boolean
  readonly created_at: Date
  readonly updated_at: Date
  readonly deleted_at: Date | null
}

const QUERY = 'strpos(lower(display_name), lower($1)) > 0 OR strpos(lower(description), lower($1)) > 0'

/** The policies that match, oldest first. */
export function policiesLike(search: Partial<SearchPolicies>): Listing {
  const { query, displayName, policyTypes, refs, excludePolicyIds, includeDeleted } = search
  return {
    name: 'policies',
    select: '* FROM policies',
    where: `($1::text IS NULL OR ${QUERY}) AND ($2::text IS NULL OR lower(display_name) = lower($2))
      AND (cardinality($3::text[]) = 0 OR policy_type = ANY($3)) AND (cardinality($4::text[]) = 0 OR id = ANY($4))
      AND id <> ALL($5::text[]) AND ($6 OR deleted_at IS NULL)`,
    params: [
      query ?? null,
      displayName ?? null,
      policyTypes ?? [],
      (refs ?? []).map(({ id }) => id),
      excludePolicyIds ?? [],
      includeDeleted ?? false,
    ],
    keys: ['number'],
    order: 'ASC',
  }
}

/** @throws Problem `policy_unknown`. */
export async function findPolicy(database: Queryable, id: string, lock = ''): Promise<PolicyRow> {
  const [row] = await database.query<PolicyRow>(
    `SELECT * FROM policies WHERE id = $1 AND deleted_at IS NULL ${lock}`,
    [id],
  )
  if (row === undefined) throw new Problem('policy_unknown', 'No policy has this ID.')
  return row
}

const WRITTEN = [
  'id',
  'generation_id',
  'display_name',
  'description',
  'policy_type',
  'policy_steps',
  'rules',
  'baseline_policy_id',
  'post_actions',
  'scope',
  'annotations',
  'system_builtin',
  'created_at',
  'updated_at',
  'deleted_at',
] as const satisfies readonly (keyof PolicyRow)[]

/** Inserts or updates a policy and stores this generation of it. */
export async function savePolicy(database: Queryable, row: PolicyRow): Promise<void> {
  const insert = (table: string) => `INSERT INTO ${table} (${WRITTEN.join()})
    SELECT ${WRITTEN.join()} FROM jsonb_populate_record(NULL::${table}, $1::jsonb)`
  // Updating the key would lock out policies that refer to this one.
  const changed = WRITTEN.filter((name) => name !== 'id').map((name) => `${name} = excluded.${name}`)
  const json = [JSON.stringify(row)]
  await database.query(`${insert('policies')} ON CONFLICT (id) DO UPDATE SET ${changed.join()}`, json)
  await database.query(insert('policy_generations'), json)
}

export function policyOf(row: PolicyRow): Policy {
  const steps = Object.entries(row.policy_steps).map(([key, entry]) => [
    key,
    { steps: entry.steps.map(policyStep) },
  ])
  return {
    id: row.id,
    displayName: row.display_name,
    description: row.description,
    policyType: row.policy_type,
    policySteps: Object.fromEntries(steps),
    rules: row.rules,
    baselinePolicyId: row.baseline_policy_id ?? '',
    postActions: row.post_actions,
    scope: row.scope,
    annotations: row.annotations,
    reassignTasksToDelegates: false,
    systemBuiltin: row.system_builtin,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    deletedAt: iso(row.deleted_at),
  }
}
