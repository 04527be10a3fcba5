import type { Queryable } from '../database/database.ts'
import { Problem } from '../http/problem.ts'

/** Type URLs, as in protobuf's JSON. */
const TYPE_URL = 'type.googleapis.com'

/** The `@type` of each kind of object, and the statement that reads them by ID (`$1`), as JSON for responses. */
const KINDS = {
  User: {
    type: 'svc.api.user.v1.User',
    select: `SELECT id, json_build_object('id', id, 'displayName', display_name, 'email', email) AS object
      FROM users WHERE id = ANY($1::text[])`,
  },
  App: {
    type: 'svc.api.app.v1.App',
    select: `SELECT id, json_build_object('id', id, 'displayName', display_name) AS object
      FROM apps WHERE id = ANY($1::text[])`,
  },
  AppUser: {
    type: 'svc.api.app.v1.AppUser',
    select: `SELECT id, json_build_object('id', id, 'appId', app_id, 'displayName', display_name,
      'identityUserId', coalesce(identity_user_id, '')) AS object FROM app_users WHERE id = ANY($1::text[])`,
  },
  AppUserLastUsage: {
    type: 'google.protobuf.Timestamp',
    select: `SELECT id, json_build_object('value',
      to_char(last_used_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) AS object
      FROM app_users WHERE id = ANY($1::text[]) AND last_used_at IS NOT NULL`,
  },
  AppEntitlement: {
    type: 'svc.api.app.v1.AppEntitlement',
    select: `SELECT id, json_build_object('id', id, 'appId', app_id, 'displayName', display_name,
      'description', description) AS object FROM app_entitlements WHERE id = ANY($1::text[])`,
  },
  AccessReview: { type: 'svc.api.accessreview.v1.AccessReview', select: kept('AccessReview') },
  AppResource: { type: 'svc.api.app.v1.AppResource', select: kept('AppResource') },
  EntitlementScopeBindingList: {
    type: 'svc.api.app.v1.EntitlementScopeBindingList',
    select: kept('EntitlementScopeBindingList'),
  },
  Insight: { type: 'svc.api.insight.v1.Insight', select: kept('Insight') },
} as const

export type Kind = keyof typeof KINDS

/** An object of a kind whose fields the specification does not show. */
function kept(kind: string): string {
  return `SELECT id, object FROM related_objects WHERE kind = '${kind}' AND id = ANY($1::text[])`
}

export interface DirectoryObject {
  readonly id: string
  /** As in `expanded` of a response. */
  readonly object: { readonly '@type': string; readonly [member: string]: unknown }
}

/** Reads the objects that exist, with one statement. */
export async function objectsOf(
  database: Queryable,
  kind: Kind,
  ids: readonly string[],
): Promise<DirectoryObject[]> {
  if (ids.length === 0) return []
  const { type, select } = KINDS[kind]
  const rows = await database.query<{ id: string; object: object }>(select, [ids])
  return rows.map(({ id, object }) => ({ id, object: { ...object, '@type': `${TYPE_URL}/${type}` } }))
}

/**
 * Finds the objects that a field names.
 *
 * @throws Problem `reference_unknown` unless all of them exist, within the app if one is given.
 */
export async function mustExist(
  database: Queryable,
  field: string,
  kind: Kind,
  ids: readonly string[],
  appId?: string,
): Promise<DirectoryObject[]> {
  const all = await objectsOf(database, kind, ids)
  const found = appId === undefined ? all : all.filter(({ object }) => object.appId === appId)
  if (found.length === new Set(ids).size) return found
  const where = appId === undefined ? '' : ' in this app'
  throw new Problem('reference_unknown', `${field} names an object that does not exist${where}.`)
}
