import type { Database, Transaction } from '../database/database.ts'
import { reseal } from './reseal.ts'
import { currentRoot, openWith, type Root, type RootSecrets, rootsOf } from './roots.ts'
import { placeOf } from './secrets.ts'

/** Enough to tell a foreign database from one with damaged secrets. */
const MOST_TRIED = 1_000

const RETIRED =
  'SERVICE_SECRET has been rotated to SERVICE_OTHER_SECRET, so this process uses the latter. Exchange the two. ' +
  'A retired secret does not come back: to leave the present one, set a new one.'

/**
 * Checks at the start that this process has the root secret of this database. The first start stores its fingerprint.
 * If the database names `otherSecret`, retires that one for `secret`. Then seals with the root that the database names
 * what the other one sealed.
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
  const isRetired = current.secret !== given.secret
  if (isRetired) log(RETIRED)
  await reseal(database, roots, log)
  return isRetired ? { secret: current.secret, otherSecret: given.secret } : given
}

/** The own root, unless it is retired. If several processes start at once, only one writes. All of them read its row. */
async function adopted(tx: Transaction, roots: readonly [Root, ...Root[]]): Promise<Root> {
  const [own] = roots
  const first = await firstRoot(tx, roots)
  if (first) {
    const text = 'INSERT INTO root_secret (fingerprint) VALUES ($1) ON CONFLICT DO NOTHING'
    await tx.query(text, [first.fingerprint])
  }
  const before = await currentRoot(tx, roots, 'UPDATE')
  const exchanged = await tx.query(
    `UPDATE root_secret SET fingerprint = $1, retired = retired || $2::bytea
     WHERE fingerprint = $2 AND $1 <> $2 AND $1 <> ALL (retired) RETURNING 1`,
    [own.fingerprint, before.fingerprint],
  )
  return exchanged.length > 0 ? own : before
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
