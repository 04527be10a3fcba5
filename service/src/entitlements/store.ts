import type { Listing } from '../http/list.ts'
import { iso } from '../http/timestamp.ts'
import type { AppEntitlement } from './schema.ts'

export interface EntitlementRow {
  readonly id: string
  readonly app_id: string
  readonly display_name: string
  readonly description: string
  readonly created_at: Date
}

/** The entitlements of an app, ordered by name. */
export function entitlementsOf(appId: string): Listing {
  return {
    select: 'id, app_id, display_name, description, created_at FROM app_entitlements',
    where: 'app_id = $1',
    params: [appId],
    keys: ['display_name', 'id'],
    order: 'ASC',
  }
}

export function appEntitlement(row: EntitlementRow): AppEntitlement {
  return {
    id: row.id,
    appId: row.app_id,
    displayName: row.display_name,
    description: row.description,
    createdAt: iso(row.created_at),
  }
}
