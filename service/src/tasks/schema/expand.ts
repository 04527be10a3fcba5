import { z } from '@hono/zod-openapi'
import { words } from '../../http/open-enum.ts'
import { Problem } from '../../http/problem.ts'

/** Specification, 2.2, without `*`. */
export const EXPAND_PATHS = words(
  'access_review_id user_id created_by_user_id app_id app_user_id app_entitlement_ids step_approver_ids',
  'approver_ids identity_user_id insight_ids app_user_last_usage entitlement_scope_bindings',
  'scope_role_resources resource',
)

export type ExpandPath = (typeof EXPAND_PATHS)[number]

export const expandMaskSchema = z
  .strictObject({
    paths: z
      .array(z.string().openapi({ enum: ['*', ...EXPAND_PATHS] }))
      .nullable()
      .optional(),
  })
  .openapi('TaskExpandMask')

export type ExpandMask = z.infer<typeof expandMaskSchema>

/** @throws Problem `expand_path_unknown`. */
export function expandPaths(mask: ExpandMask | null | undefined): ReadonlySet<ExpandPath> {
  const paths = mask?.paths ?? []
  const unknown = paths.find((path) => path !== '*' && !isExpandPath(path))
  if (unknown !== undefined) {
    throw new Problem(
      'expand_path_unknown',
      `expandMask has an unknown path. Allowed: *, ${EXPAND_PATHS.join(', ')}.`,
    )
  }
  return new Set(paths.includes('*') ? EXPAND_PATHS : paths.filter(isExpandPath))
}

function isExpandPath(path: string): path is ExpandPath {
  // `includes` accepts only members of the tuple.
  return EXPAND_PATHS.includes(path as ExpandPath)
}
