import type { Queryable } from '../database/database.ts'
import { Problem } from '../http/problem.ts'
import type { Kind } from './relations.ts'

type Table = 'users' | 'apps' | 'app_entitlements' | 'app_users'

/** @throws Problem `reference_unknown` unless the table has the ID, within the app if one is given. */
export async function mustExist(
  database: Queryable,
  field: string,
  table: Table,
  id: string,
  appId?: string,
): Promise<void> {
  const ofApp = appId === undefined ? '' : 'AND app_id = $2'
  const values = appId === undefined ? [id] : [id, appId]
  const found = await database.query(`SELECT FROM ${table} WHERE id = $1 ${ofApp}`, values)
  if (found.length === 0) refuse(field, appId === undefined ? '' : ' in this app')
}

/** @throws Problem `reference_unknown` unless each ID belongs to a related object of this kind. */
export async function mustBeKnown(
  database: Queryable,
  field: string,
  kind: Kind,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const found = await database.query('SELECT FROM related_objects WHERE kind = $1 AND id = ANY($2::text[])', [
    kind,
    ids,
  ])
  if (found.length < new Set(ids).size) refuse(field)
}

function refuse(field: string, where = ''): never {
  throw new Problem('reference_unknown', `${field} names an object that does not exist${where}.`)
}
