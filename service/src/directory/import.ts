import type { Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { checkKeepable } from '../http/keepable.ts'
import { Problem } from '../http/problem.ts'
import { type Kind, objectsOf } from './objects.ts'
import type { Collection, Directory } from './schema.ts'

interface Stored {
  readonly kind: Kind
  /** @returns A row for each item, except those whose ID belongs to another app. */
  readonly write: (tx: Transaction, items: readonly object[], createdAt: Date) => Promise<readonly unknown[]>
  /** The fields that name other objects. */
  readonly names?: readonly (readonly [field: string, kind: Kind])[]
}

/** How each collection is stored. Later ones name objects of earlier ones. */
const COLLECTIONS: Readonly<Record<Collection, Stored>> = {
  users: { kind: 'User', write: rows('users', 'display_name', 'email', 'created_at') },
  apps: { kind: 'App', write: rows('apps', 'display_name', 'created_at') },
  entitlements: {
    kind: 'AppEntitlement',
    write: rows('app_entitlements', 'app_id', 'display_name', 'description', 'created_at'),
    names: [['appId', 'App']],
  },
  appUsers: {
    kind: 'AppUser',
    write: rows('app_users', 'app_id', 'identity_user_id', 'display_name', 'last_used_at'),
    names: [
      ['appId', 'App'],
      ['identityUserId', 'User'],
    ],
  },
  accessReviews: asGiven('AccessReview'),
  insights: asGiven('Insight'),
  appResources: asGiven('AppResource'),
  entitlementScopeBindings: {
    ...asGiven('EntitlementScopeBindingList'),
    names: [['id', 'AppEntitlement']],
  },
}

/** Items whose fields are columns. An update keeps the time of creation, and moves nothing to another app. */
function rows(table: string, ...columns: readonly string[]): Stored['write'] {
  const changed = columns.filter((column) => column !== 'app_id' && column !== 'created_at')
  const statement = `INSERT INTO ${table} AS kept (id, ${columns.join()})
    SELECT id, ${columns.join()} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)
    ON CONFLICT (id) DO UPDATE SET ${changed.map((column) => `${column} = excluded.${column}`).join()}
    ${columns.includes('app_id') ? 'WHERE kept.app_id = excluded.app_id' : ''} RETURNING id`
  return (tx, items, createdAt) =>
    tx.query(statement, [JSON.stringify(items.map((item) => rowOf({ ...item, createdAt })))])
}

/** `display_name` for `displayName`. */
function rowOf(item: object): object {
  const columns = Object.entries(item).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ])
  return Object.fromEntries(columns)
}

function asGiven(kind: Kind): Stored {
  const statement = `INSERT INTO related_objects (kind, id, object)
    SELECT '${kind}', item->>'id', item FROM jsonb_array_elements($1::jsonb) AS item
    ON CONFLICT (kind, id) DO UPDATE SET object = excluded.object RETURNING id`
  return { kind, write: (tx, items) => tx.query(statement, [JSON.stringify(items)]) }
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
  const createdAt = new Date(clock.now())
  // `keys` loses the key types.
  for (const collection of Object.keys(COLLECTIONS) as Collection[]) {
    const items = directory[collection] ?? []
    if (items.length === 0) continue
    await checkReferences(tx, collection, items)
    const written = await COLLECTIONS[collection].write(tx, items, createdAt)
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
  const found = await objectsOf(tx, COLLECTIONS[collection].kind, [item.id])
  if (found.length > 0) throw new Problem('id_taken', 'An object with this ID already exists.')
  await importDirectory(tx, { [collection]: [item] }, dependencies)
}

async function lockDirectory(tx: Transaction): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('hookgate-service directory', 0))")
}

async function checkReferences(tx: Transaction, collection: Collection, items: readonly object[]) {
  for (const [field, kind] of COLLECTIONS[collection].names ?? []) {
    const ids = items.flatMap((item): string[] => Reflect.get(item, field) ?? [])
    const known = new Set((await objectsOf(tx, kind, ids)).map(({ id }) => id))
    const missing = ids.find((id) => !known.has(id))
    if (missing !== undefined)
      throw new Problem('reference_unknown', `${collection}: ${field} ${missing} names nothing.`)
  }
}
