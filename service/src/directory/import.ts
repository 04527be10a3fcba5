import type { Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { checkKeepable } from '../http/keepable.ts'
import { Problem } from '../http/problem.ts'
import type { Collection, Directory } from './schema.ts'

/** How a collection is stored. `write` takes the items as JSON (`$1`) and the time (`$2`). */
const COLLECTIONS: Readonly<Record<Collection, { readonly exists: string; readonly write: string }>> = {
  users: {
    exists: 'SELECT FROM users WHERE id = $1',
    write: `INSERT INTO users (id, display_name, email, created_at)
      SELECT id, "displayName", email, $2 FROM jsonb_to_recordset($1::jsonb) AS item (id text, "displayName" text, email text)
      ON CONFLICT (id) DO UPDATE SET display_name = excluded.display_name, email = excluded.email RETURNING id`,
  },
  apps: {
    exists: 'SELECT FROM apps WHERE id = $1',
    write: `INSERT INTO apps (id, display_name, created_at)
      SELECT id, "displayName", $2 FROM jsonb_to_recordset($1::jsonb) AS item (id text, "displayName" text)
      ON CONFLICT (id) DO UPDATE SET display_name = excluded.display_name RETURNING id`,
  },
  entitlements: {
    exists: 'SELECT FROM app_entitlements WHERE id = $1',
    write: `INSERT INTO app_entitlements AS kept (id, app_id, display_name, description, created_at)
      SELECT id, "appId", "displayName", description, $2 FROM jsonb_to_recordset($1::jsonb)
        AS item (id text, "appId" text, "displayName" text, description text)
      ON CONFLICT (id) DO UPDATE SET display_name = excluded.display_name, description = excluded.description
      WHERE kept.app_id = excluded.app_id RETURNING id`,
  },
  appUsers: {
    exists: 'SELECT FROM app_users WHERE id = $1',
    write: `INSERT INTO app_users AS kept (id, app_id, identity_user_id, display_name, last_used_at)
      SELECT id, "appId", "identityUserId", "displayName", "lastUsedAt" FROM jsonb_to_recordset($1::jsonb)
        AS item (id text, "appId" text, "identityUserId" text, "displayName" text, "lastUsedAt" timestamptz)
      WHERE $2::timestamptz IS NOT NULL
      ON CONFLICT (id) DO UPDATE SET identity_user_id = excluded.identity_user_id,
        display_name = excluded.display_name, last_used_at = excluded.last_used_at
      WHERE kept.app_id = excluded.app_id RETURNING id`,
  },
  accessReviews: relatedObjects('AccessReview'),
  insights: relatedObjects('Insight'),
}

function relatedObjects(kind: string) {
  return {
    exists: `SELECT FROM related_objects WHERE kind = '${kind}' AND id = $1`,
    write: `INSERT INTO related_objects (kind, id, object)
      SELECT '${kind}', item->>'id', item FROM jsonb_array_elements($1::jsonb) AS item
      WHERE $2::timestamptz IS NOT NULL
      ON CONFLICT (kind, id) DO UPDATE SET object = excluded.object RETURNING id`,
  }
}

/**
 * Creates and updates objects. Deletes nothing. Imports run one at a time.
 *
 * @throws Problem `request_invalid`, `reference_unknown`, and `id_taken` for an ID of another app.
 */
export async function importDirectory(
  tx: Transaction,
  directory: Partial<Directory>,
  { clock }: Pick<Dependencies, 'clock'>,
): Promise<void> {
  checkKeepable(directory)
  await lockDirectory(tx)
  for (const collection of [
    'users',
    'apps',
    'entitlements',
    'appUsers',
    'accessReviews',
    'insights',
  ] as const) {
    const items = directory[collection] ?? []
    if (items.length === 0) continue
    await checkReferences(tx, collection, items)
    const values = [JSON.stringify(items), new Date(clock.now())]
    const written = await tx.query(COLLECTIONS[collection].write, values)
    if (written.length < items.length)
      throw new Problem('id_taken', `${collection} holds an ID that belongs to another app.`)
  }
}

/** Creates one object. @throws Problem `id_taken` if its ID exists. Also the problems of `importDirectory`. */
export async function createInDirectory(
  tx: Transaction,
  collection: Collection,
  item: { readonly id: string },
  dependencies: Pick<Dependencies, 'clock'>,
): Promise<void> {
  await lockDirectory(tx)
  const found = await tx.query(COLLECTIONS[collection].exists, [item.id])
  if (found.length > 0) throw new Problem('id_taken', 'An object with this ID already exists.')
  await importDirectory(tx, { [collection]: [item] }, dependencies)
}

async function lockDirectory(tx: Transaction): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('hookgate-service directory', 0))")
}

async function checkReferences(tx: Transaction, collection: string, items: readonly object[]): Promise<void> {
  for (const [field, table] of [
    ['appId', 'apps'],
    ['identityUserId', 'users'],
  ] as const) {
    if (collection !== 'appUsers' && (collection !== 'entitlements' || field !== 'appId')) continue
    const ids = items.flatMap((item): unknown[] => Reflect.get(item, field) ?? [])
    const [missing] = await tx.query<{ id: string }>(
      `SELECT id FROM unnest($1::text[]) AS named (id) WHERE NOT EXISTS (SELECT FROM ${table} WHERE ${table}.id = named.id)`,
      [ids],
    )
    if (missing)
      throw new Problem('reference_unknown', `${collection}: ${field} ${missing.id} names nothing.`)
  }
}
