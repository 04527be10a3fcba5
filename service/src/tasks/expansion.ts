import type { Queryable } from '../database/database.ts'
import type { Kind, Relation } from './relations.ts'

/** Type URLs, as in protobuf's JSON. */
const TYPE_URL = 'type.googleapis.com'

/** The `@type` of a kind, and the statement that reads its objects by ID (`$1`), as JSON for the response. */
const KINDS: Readonly<Record<Kind, { readonly type: string; readonly select: string }>> = {
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
  AccessReview: { type: 'svc.api.accessreview.v1.AccessReview', select: relatedObjects('AccessReview') },
  AppResource: { type: 'svc.api.app.v1.AppResource', select: relatedObjects('AppResource') },
  EntitlementScopeBindingList: {
    type: 'svc.api.app.v1.EntitlementScopeBindingList',
    select: relatedObjects('EntitlementScopeBindingList'),
  },
  Insight: { type: 'svc.api.insight.v1.Insight', select: relatedObjects('Insight') },
}

function relatedObjects(kind: Kind): string {
  return `SELECT id, object FROM related_objects WHERE kind = '${kind}' AND id = ANY($1::text[])`
}

/** The `expanded` list of a response. Holds every object once, even if several tasks refer to it. */
export class Expansion {
  readonly expanded: { '@type': string; [member: string]: unknown }[] = []
  readonly #places = new Map<string, number>()

  /** Loads the related objects, with one statement per kind. */
  static async load(database: Queryable, relations: readonly Relation[]): Promise<Expansion> {
    const expansion = new Expansion()
    for (const kind of new Set(relations.map((relation) => relation.kind))) {
      const ids = relations.filter((relation) => relation.kind === kind).flatMap((relation) => relation.ids)
      await expansion.#add(database, kind, [...new Set(ids)])
    }
    return expansion
  }

  /** The JSONPath (RFC 9535) of the objects that exist. Empty if there are none. */
  pathTo({ kind, ids }: Relation): string {
    const places = ids.flatMap((id) => this.#places.get(`${kind} ${id}`) ?? [])
    return places.length === 0 ? '' : `$.expanded[${places.join()}]`
  }

  async #add(database: Queryable, kind: Kind, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const { type, select } = KINDS[kind]
    for (const { id, object } of await database.query<{ id: string; object: object }>(select, [ids])) {
      this.#places.set(`${kind} ${id}`, this.expanded.length)
      this.expanded.push({ ...object, '@type': `${TYPE_URL}/${type}` })
    }
  }
}
