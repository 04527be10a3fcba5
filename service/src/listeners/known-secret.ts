import type { Database, Queryable } from '../database/database.ts'
import { derivedKey } from '../http/derived-key.ts'
import { opensSealedSecrets } from './secrets.ts'

/**
 * Makes sure that this process has the root secret of every process before it. The first start leaves a fingerprint in the
 * database. A database from before there were fingerprints is recognised by the signing secrets that it keeps.
 *
 * @throws Error that says how to mend it, for another secret: no signing secret could be opened with it.
 */
export async function requireKnownSecret(database: Database, secret: string): Promise<void> {
  const own = derivedKey(secret, 'fingerprint')
  const known = (await fingerprintIn(database)) ?? (await firstFingerprint(database, secret, own))
  if (known && own.equals(known)) return
  throw new Error(
    'This database was set up with another root secret, and its signing secrets cannot be opened with the one given now. ' +
      'Set SERVICE_SECRET to the old one, or put its file `secret` back into the data folder.',
  )
}

/** Of several that start at once, one writes, and all read what it wrote. */
async function firstFingerprint(database: Database, secret: string, own: Buffer) {
  if (!(await opensSealedSecrets(database, secret))) return undefined
  await database.query('INSERT INTO root_secret (fingerprint) VALUES ($1) ON CONFLICT DO NOTHING', [own])
  return fingerprintIn(database)
}

async function fingerprintIn(database: Queryable): Promise<Uint8Array | undefined> {
  const [row] = await database.query<{ fingerprint: Uint8Array }>('SELECT fingerprint FROM root_secret')
  return row?.fingerprint
}
