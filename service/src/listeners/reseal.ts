import type { Database, Transaction } from '../database/database.ts'
import { currentRoot, openWith, type Root, rootNamed } from './roots.ts'
import { seal } from './sealing.ts'
import { placeOf } from './secrets.ts'

/** How many secrets one transaction seals. A kill loses no more than that, and the next start continues. */
const BATCH = 500
const MOST_NAMED = 20

interface Row {
  readonly number: string
  readonly listener_id: string
  readonly id: string
  readonly sealed: Uint8Array
  /** The fingerprint of the root that sealed it, unless an older version did. */
  readonly root: Uint8Array | null
}

/**
 * Seals with the root that the database names what the other one sealed, and names the listeners of secrets that it
 * cannot open.
 *
 * @throws Error if a known root that this process lacks sealed one of them: then its setting was removed too early.
 */
export async function reseal(
  database: Database,
  roots: readonly Root[],
  log: (line: string) => void,
): Promise<void> {
  const closed: Row[] = []
  for (let after: string | undefined = '0'; after !== undefined; ) {
    const from: string = after
    const rows = await database.transaction((tx) => resealBatch(tx, roots, from, closed))
    after = rows.at(-1)?.number
  }
  if (closed.length === 0) return
  const foreign = closed.filter(({ root }) => root && !rootNamed(roots, root))
  if (foreign.length === 0)
    return log(`${named(closed)}. They are damaged, or of an earlier root secret. Rotate them.`)
  throw new Error(
    `${named(foreign)}. Another root secret still seals them. Set SERVICE_OTHER_SECRET to it for one start. ` +
      'If it is lost, delete their rows from listener_secrets, and rotate the secrets of these listeners.',
  )
}

/** @returns All rows of the batch. Adds those that cannot be opened to `closed`. */
async function resealBatch(
  tx: Transaction,
  roots: readonly Root[],
  after: string,
  closed: Row[],
): Promise<Row[]> {
  const current = await currentRoot(tx, roots)
  // Skips what another process seals or withdraws at the same time.
  const rows = await tx.query<Row>(
    `SELECT number::text, listener_id, id, sealed, root FROM listener_secrets WHERE number > $1
     ORDER BY listener_secrets.number LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
    [after],
  )
  for (const row of rows) {
    const place = placeOf(row.listener_id, row.id)
    const secret = openWith(roots, row.sealed, place)
    const root = rootNamed(roots, row.root)
    if (secret === undefined) closed.push(row)
    // What its own root cannot open is damaged, and no reason to keep that root.
    if (root === current || (secret === undefined && root === undefined)) continue
    await tx.query('UPDATE listener_secrets SET sealed = $2, root = $3 WHERE number = $1', [
      row.number,
      secret === undefined ? row.sealed : seal(current.key, secret, place),
      current.fingerprint,
    ])
  }
  return rows
}

function named(rows: readonly Row[]): string {
  const ids = [...new Set(rows.map(({ listener_id }) => listener_id))]
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : ''
  const secrets = rows.length === 1 ? '1 signing secret' : `${rows.length} signing secrets`
  const listeners = ids.length === 1 ? 'listener' : 'listeners'
  return `${secrets} cannot be opened: ${listeners} ${ids.slice(0, MOST_NAMED).join(', ')}${more}`
}
