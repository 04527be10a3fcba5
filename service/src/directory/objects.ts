import type { Queryable } from '../database/database.ts'
import { Problem } from '../http/problem.ts'

/** Type URLs, as in protobuf's JSON. */
const TYPE_URL = 'type.googleapis.com'

/** The `@type` of each kind of object, and the statement that reads them by ID (`$1`), as JSON for responses. */
const KINDS = {
  User: columns('svc.api.user.v1.User', 'users', "'displayName', display_name, 'email', email"),
  App: columns('svc.api.app.v1.App', 'apps', "'displayName', display_name"),
  AppUser: columns(
    'svc.api.app.v1.AppUser',
    'app_users',
    "'appId', app_id, 'displayName', display_name, 'identityUserId', coalesce(identity_user_id, '')",
  ),
  AppUserLastUsage: {
    type: 'google.protobuf.Timestamp',
    select: `SELECT id, json_build_object('value',
      to_char(last_used_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) AS object
      FROM app_users WHERE id = ANY($1::text[]) AND last_used_at IS NOT NULL`,
  },
  AppEntitlement: columns(
    'svc.api.app.v1.AppEntitlement',
    'app_entitlements',
    "'appId', app_id, 'displayName', display_name, 'description', description",
  ),
  AccessReview: asGiven('svc.api.accessreview.v1.AccessReview'),
  AppResource: asGiven('svc.api.app.v1.AppResource'),
  EntitlementScopeBindingList: asGiven('svc.api.app.v1.EntitlementScopeBindingList'),
  Insight: asGiven('svc.api.insight.v1.Insight'),
} as const

export type Kind = keyof typeof KINDS

function columns(type: string, table: string, members: string) {
  const object = `json_build_object('id', id, ${members})`
  return { type, select: `SELECT id, ${object} AS object FROM ${table} WHERE id = ANY($1::text[])` }
}

/** For objects whose fields the specification does not show. Their kind is the last part of the type. */
function asGiven(type: string) {
  const kind = type.slice(type.lastIndexOf('.') + 1)
  return {
    type,
    select: `SELECT id, object FROM related_objects WHERE kind = '${kind}' AND id = ANY($1::text[])`,
  }
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
