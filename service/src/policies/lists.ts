import type { Listing } from '../http/list.ts'
import type { PolicyFilters } from './schema.ts'

const QUERY = 'strpos(lower(display_name), lower($1)) > 0 OR strpos(lower(description), lower($1)) > 0'

/** The policies that match, oldest first. */
export function policiesLike(filters: PolicyFilters): Listing {
  const { query, displayName, policyTypes, refs, excludePolicyIds, includeDeleted } = filters
  return {
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
