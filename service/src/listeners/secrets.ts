import { generateSecret, type NamedSecret } from 'hookgate'
import type { Queryable, Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { derivedKey } from '../http/derived-key.ts'
import { Problem } from '../http/problem.ts'
import { iso } from '../http/timestamp.ts'
import { changeListener } from './rows.ts'
import type { LiveSecret, SigningSecret } from './schema.ts'
import { type Sealing, sealingWith } from './sealing.ts'

/** The old and the new secret are both live during a rotation. */
const MOST_LIVE = 2

interface SecretRow {
  readonly id: string
  readonly sealed: Uint8Array
}

type RootSecrets = Pick<Dependencies, 'secret' | 'otherSecret'>

/** Seals with the root secret. Opens what the other one sealed, too. */
function sealing({ secret, otherSecret }: RootSecrets): Sealing {
  const own = sealingWith(derivedKey(secret, 'signing secrets'))
  if (otherSecret === undefined) return own
  const other = sealingWith(derivedKey(otherSecret, 'signing secrets'))
  const open: Sealing['open'] = (sealed, place) => {
    try {
      return own.open(sealed, place)
    } catch {
      return other.open(sealed, place)
    }
  }
  return { seal: own.seal, open }
}

const placeOf = (listenerId: string, secretId: string) => `${listenerId}/${secretId}`

/** Adds a live secret, and withdraws all but the newest two. */
export async function addSecret(
  tx: Transaction,
  dependencies: Dependencies,
  listenerId: string,
  secret: string = generateSecret(),
): Promise<SigningSecret> {
  const made = { id: dependencies.newId(), secret }
  const sealed = sealing(dependencies).seal(made.secret, placeOf(listenerId, made.id))
  await tx.query(
    'INSERT INTO listener_secrets (listener_id, id, sealed, created_at) VALUES ($1, $2, $3, $4)',
    [listenerId, made.id, sealed, new Date(dependencies.clock.now())],
  )
  await tx.query(
    `DELETE FROM listener_secrets WHERE listener_id = $1 AND number NOT IN
     (SELECT number FROM listener_secrets WHERE listener_id = $1 ORDER BY number DESC LIMIT ${MOST_LIVE})`,
    [listenerId],
  )
  return made
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
    await withdraw(tx, listenerId, secretId)
    return shownSecrets(tx, listenerId)
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

async function withdraw(tx: Transaction, listenerId: string, secretId: string): Promise<void> {
  const live = await tx.query<{ id: string }>('SELECT id FROM listener_secrets WHERE listener_id = $1', [
    listenerId,
  ])
  if (!live.some(({ id }) => id === secretId)) {
    throw new Problem('secret_unknown', 'The listener has no live secret with this ID.')
  }
  if (live.length === 1) {
    throw new Problem('secret_last', 'This is the only live secret. Rotate first, then withdraw the old one.')
  }
  await tx.query('DELETE FROM listener_secrets WHERE listener_id = $1 AND id = $2', [listenerId, secretId])
}

/** Seals all secrets with this root secret that the other one sealed. */
export async function resealSecrets(tx: Transaction, secrets: RootSecrets): Promise<void> {
  const { open, seal } = sealing(secrets)
  const rows = await tx.query<SecretRow & { listener_id: string }>(
    'SELECT listener_id, id, sealed FROM listener_secrets FOR UPDATE',
  )
  for (const { listener_id, id, sealed } of rows) {
    const place = placeOf(listener_id, id)
    const resealed = seal(open(sealed, place), place)
    await tx.query('UPDATE listener_secrets SET sealed = $3 WHERE listener_id = $1 AND id = $2', [
      listener_id,
      id,
      resealed,
    ])
  }
}

/** Whether this root secret can open the sealed secrets. True if there are none. */
export async function opensSealedSecrets(database: Queryable, secret: string): Promise<boolean> {
  const [row] = await database.query<SecretRow & { listener_id: string }>(
    'SELECT listener_id, id, sealed FROM listener_secrets ORDER BY number DESC LIMIT 1',
  )
  if (row === undefined) return true
  try {
    sealing({ secret }).open(row.sealed, placeOf(row.listener_id, row.id))
    return true
  } catch {
    return false
  }
}

/** The live secrets, decrypted. Use them only for verification. */
export async function liveSecrets(
  database: Queryable,
  dependencies: Dependencies,
  listenerId: string,
): Promise<NamedSecret[]> {
  const rows = await database.query<SecretRow>(
    'SELECT id, sealed FROM listener_secrets WHERE listener_id = $1 ORDER BY number',
    [listenerId],
  )
  const { open } = sealing(dependencies)
  return rows.map(({ id, sealed }) => ({ id, secret: open(sealed, placeOf(listenerId, id)) }))
}
