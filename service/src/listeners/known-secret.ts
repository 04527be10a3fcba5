import type { Database, Queryable } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { derivedKey } from '../http/derived-key.ts'
import { opensSealedSecrets, resealSecrets } from './secrets.ts'

type RootSecrets = Pick<Dependencies, 'secret' | 'otherSecret'>

/**
 * Checks that this process has the same root secret as earlier ones. The first start stores a fingerprint in the
 * database. An older database without one is checked by decrypting its signing secrets. If earlier ones had
 * `otherSecret`, seals the signing secrets again.
 *
 * @throws Error with the fix if the secret is a different one, which could not decrypt the signing secrets.
 */
export async function requireKnownSecret(database: Database, secrets: RootSecrets): Promise<void> {
  const { secret, otherSecret } = secrets
  const own = fingerprintOf(secret)
  const known = (await fingerprintIn(database)) ?? (await firstFingerprint(database, secret, own))
  if (known && own.equals(known)) return
  if (known && otherSecret !== undefined && fingerprintOf(otherSecret).equals(known)) {
    return database.transaction(async (tx) => {
      await tx.query('UPDATE root_secret SET fingerprint = $1', [own]) // locks it first
      await resealSecrets(tx, secrets)
    })
  }
  throw new Error(
    'This database was set up with another root secret, so its signing secrets cannot be decrypted. ' +
      'Set SERVICE_SECRET to the old one, or restore the file `secret` in the data folder. ' +
      'To rotate it, set SERVICE_OTHER_SECRET to the old one as well.',
  )
}

function fingerprintOf(secret: string): Buffer {
  return derivedKey(secret, 'fingerprint')
}

/** If several processes start at once, only one writes. All of them read its row. */
async function firstFingerprint(database: Database, secret: string, own: Buffer) {
  if (!(await opensSealedSecrets(database, secret))) return undefined
  await database.query('INSERT INTO root_secret (fingerprint) VALUES ($1) ON CONFLICT DO NOTHING', [own])
  return fingerprintIn(database)
}

async function fingerprintIn(database: Queryable): Promise<Uint8Array | undefined> {
  const [row] = await database.query<{ fingerprint: Uint8Array }>('SELECT fingerprint FROM root_secret')
  return row?.fingerprint
}
