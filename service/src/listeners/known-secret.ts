import type { Database, Transaction } from '../database/database.ts'
import { revokeDemoTokenOfOthers } from '../demo/tenant.ts'
import { reseal } from './reseal.ts'
import { ForeignRootError, namedRoot, openWith, type Root, type RootSecrets, rootsOf } from './roots.ts'
import { placeOf } from './secrets.ts'

/** Enough to tell a foreign database from one with damaged secrets. */
const MOST_TRIED = 1_000

const RETIRED =
  'SERVICE_SECRET has been rotated to SERVICE_OTHER_SECRET, so this process uses the latter. Exchange the two. ' +
  'A retired secret does not come back: to leave the present one, set a new one.'

/**
 * Checks at the start that this process has the root secret of this database. The first start stores its fingerprint.
 * If the database names `otherSecret`, retires that one for `secret`, and ends the demo token that was derived from it.
 * Then seals with the root that the database names what the other one sealed.
 *
 * @returns The secrets, with the one that the database names as `secret`.
 * @throws ForeignRootError if the database names neither, or other roots sealed signing secrets in it.
 */
export async function knownSecrets(
  database: Database,
  given: RootSecrets,
  log: (line: string) => void,
): Promise<RootSecrets> {
  const roots = rootsOf(given)
  const current = await database.transaction((tx) => adopted(tx, roots))
  if (current.secret !== given.secret) log(RETIRED)
  await reseal(database, roots, log)
  return {
    secret: current.secret,
    otherSecret: current.secret === given.secret ? given.otherSecret : given.secret,
  }
}

/** If several processes start at once, only one writes. All of them read its row. */
async function adopted(tx: Transaction, roots: readonly Root[]): Promise<Root> {
  const first = await firstRoot(tx, roots)
  if (first) {
    const text = 'INSERT INTO root_secret (fingerprint) VALUES ($1) ON CONFLICT DO NOTHING'
    await tx.query(text, [first.fingerprint])
  }
  const named = await namedRoot(tx, 'UPDATE')
  const before = roots.find(({ fingerprint }) => named && fingerprint.equals(named))
  if (before === undefined) throw new ForeignRootError()
  const current = (await exchanged(tx, roots, before)) ?? before
  await revokeDemoTokenOfOthers(tx, current.secret)
  return current
}

/** The own root, unless it is retired. */
async function exchanged(tx: Transaction, [own]: readonly Root[], before: Root): Promise<Root | undefined> {
  const updated = await tx.query(
    `UPDATE root_secret SET fingerprint = $1, retired = retired || $2::bytea
     WHERE fingerprint = $2 AND $1 <> $2 AND $1 <> ALL (retired) RETURNING 1`,
    [own?.fingerprint, before.fingerprint],
  )
  return updated.length > 0 ? own : undefined
}

/** The root of a database that predates fingerprints: the one that opens a secret in it, or any if it has none. */
async function firstRoot(tx: Transaction, roots: readonly Root[]): Promise<Root | undefined> {
  const rows = await tx.query<{ listener_id: string; id: string; sealed: Uint8Array }>(
    `SELECT listener_id, id, sealed FROM listener_secrets WHERE NOT EXISTS (SELECT FROM root_secret)
     ORDER BY number DESC LIMIT ${MOST_TRIED}`,
  )
  if (rows.length === 0) return roots[0]
  return roots.find((root) =>
    rows.some((row) => openWith([root], row.sealed, placeOf(row.listener_id, row.id)) !== undefined),
  )
}
