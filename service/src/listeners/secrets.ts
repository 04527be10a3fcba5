import { generateSecret, type NamedSecret } from 'hookgate'
import type { Queryable, Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { Problem } from '../http/problem.ts'
import { iso } from '../http/timestamp.ts'
import { currentRoot, ForeignRootError, openWith, type Root, rootsOf } from './roots.ts'
import { changeListener } from './rows.ts'
import type { LiveSecret, SigningSecret } from './schema.ts'
import { seal } from './sealing.ts'

/** The old and the new secret are both live during a rotation. */
const MOST_LIVE = 2

/** Where a sealed secret belongs. It cannot be opened elsewhere. */
export const placeOf = (listenerId: string, secretId: string) => `${listenerId}/${secretId}`

/** Adds a live secret, and withdraws all but the newest two. */
export async function addSecret(
  tx: Transaction,
  dependencies: Dependencies,
  listenerId: string,
  secret: string = generateSecret(),
): Promise<SigningSecret> {
  const made = { id: dependencies.newId(), secret }
  const { key, fingerprint } = await sealingRoot(tx, dependencies)
  const sealed = seal(key, made.secret, placeOf(listenerId, made.id))
  await tx.query(
    'INSERT INTO listener_secrets (listener_id, id, sealed, root, created_at) VALUES ($1, $2, $3, $4, $5)',
    [listenerId, made.id, sealed, fingerprint, new Date(dependencies.clock.now())],
  )
  await tx.query(
    `DELETE FROM listener_secrets WHERE listener_id = $1 AND number NOT IN
     (SELECT number FROM listener_secrets WHERE listener_id = $1 ORDER BY number DESC LIMIT ${MOST_LIVE})`,
    [listenerId],
  )
  return made
}

/** @throws Problem `unavailable` in a process that lacks the root secret that the others have rotated to. */
async function sealingRoot(tx: Transaction, dependencies: Dependencies): Promise<Root> {
  return currentRoot(tx, rootsOf(dependencies)).catch((error) => {
    if (!(error instanceof ForeignRootError)) throw error
    dependencies.report(error.message)
    throw new Problem('unavailable', 'This process cannot store signing secrets. Its log says why.')
  })
}

/** @throws Problem `webhook_invalid` for a listener that uses JWT. */
export async function rotateSecret(dependencies: Dependencies, listenerId: string): Promise<SigningSecret> {
  return dependencies.database.transaction(async (tx) => {
    const { jwks_url } = await changeListener(tx, 'id', listenerId)
    if (jwks_url !== null) throw new Problem('webhook_invalid', 'This listener uses JWT and has no secret.')
    return addSecret(tx, dependencies, listenerId)
  })
}

/**
 * @throws Problem `secret_unknown`, and `secret_last` for the only live secret, without which no delivery could pass.
 */
export async function withdrawSecret(
  { database }: Dependencies,
  listenerId: string,
  secretId: string,
): Promise<LiveSecret[]> {
  return database.transaction(async (tx) => {
    await changeListener(tx, 'id', listenerId)
    const live = await shownSecrets(tx, listenerId)
    const left = live.filter(({ id }) => id !== secretId)
    if (left.length === live.length)
      throw new Problem('secret_unknown', 'The listener has no live secret with this ID.')
    if (left.length === 0)
      throw new Problem(
        'secret_last',
        'This is the only live secret. Rotate first, then withdraw the old one.',
      )
    await tx.query('DELETE FROM listener_secrets WHERE listener_id = $1 AND id = $2', [listenerId, secretId])
    return left
  })
}

/** The live secrets as the API shows them, oldest first. */
export async function shownSecrets(database: Queryable, listenerId: string): Promise<LiveSecret[]> {
  const rows = await database.query<{ id: string; created_at: Date }>(
    'SELECT id, created_at FROM listener_secrets WHERE listener_id = $1 ORDER BY number',
    [listenerId],
  )
  return rows.map(({ id, created_at }) => ({ id, createdAt: iso(created_at) }))
}

/** The live secrets, decrypted. Skips and reports those that cannot be opened. Use them only for verification. */
export async function liveSecrets(
  database: Queryable,
  dependencies: Dependencies,
  listenerId: string,
): Promise<NamedSecret[]> {
  const rows = await database.query<{ id: string; sealed: Uint8Array }>(
    'SELECT id, sealed FROM listener_secrets WHERE listener_id = $1 ORDER BY number',
    [listenerId],
  )
  const roots = rootsOf(dependencies)
  return rows.flatMap(({ id, sealed }) => {
    const secret = openWith(roots, sealed, placeOf(listenerId, id))
    if (secret !== undefined) return { id, secret }
    dependencies.report(`listener ${listenerId}: its signing secret ${id} cannot be opened, and is skipped`)
    return []
  })
}
