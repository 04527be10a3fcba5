import { readdir, readFile } from 'node:fs/promises'
import { memberOf } from '../member-of.ts'
import { eventRecords } from '../webhooks/event-records.ts'
import type { Database, Queryable, Transaction } from './database.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)

/** `NNN-name.sql`, applied in numeric order. */
const FILE = /^\d{3}-[a-z-]+\.sql$/

/**
 * Applies all pending migrations in one transaction. Processes that start at the same time wait for each other.
 *
 * @returns The files that were applied.
 * @throws Error that says which rights the role lacks.
 */
export async function migrate(database: Database): Promise<readonly string[]> {
  try {
    const applied = await database.transaction(applyMissing)
    await eventRecords(database).migrate()
    return applied
  } catch (error) {
    throw LACKS_RIGHTS.includes(memberOf(error, 'code')) ? await withoutRights(database, error) : error
  }
}

/** No schema in the search path is open to the role; no permission. */
const LACKS_RIGHTS: readonly unknown[] = ['3F000', '42501']

async function withoutRights(database: Queryable, cause: unknown): Promise<Error> {
  const [row] = await database.query<{ role: string; name: string }>(
    'SELECT current_user AS role, current_database() AS name',
  )
  return new Error(
    `The role "${row?.role}" cannot migrate the database "${row?.name}": ${memberOf(cause, 'message')}. ` +
      'The service needs a role that owns its tables, and has USAGE and CREATE on their schema: ' +
      `GRANT USAGE, CREATE ON SCHEMA public TO "${row?.role}"`,
    { cause },
  )
}

/** The pending migrations of a migrated database, in order. */
export async function missingMigrations(database: Queryable): Promise<readonly string[]> {
  const files = (await readdir(FOLDER)).filter((file) => FILE.test(file)).toSorted()
  const rows = await database.query<{ file: string }>('SELECT file FROM service_migrations')
  const seen = new Set(rows.map(({ file }) => file))
  return files.filter((file) => !seen.has(file))
}

async function applyMissing(tx: Transaction): Promise<readonly string[]> {
  await tx.script("SELECT pg_advisory_xact_lock(hashtextextended('hookgate-service exclusively', 0))") // may wait long
  await tx.query('CREATE TABLE IF NOT EXISTS service_migrations (file text PRIMARY KEY)')
  const missing = await missingMigrations(tx)
  for (const file of missing) {
    await tx.script(await readFile(new URL(file, FOLDER), 'utf8'))
    await tx.query('INSERT INTO service_migrations (file) VALUES ($1)', [file])
  }
  return missing
}
