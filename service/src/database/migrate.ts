import { readdir, readFile } from 'node:fs/promises'
import { eventRecords } from '../webhooks/event-records.ts'
import type { Database, Queryable, Transaction } from './database.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)

/** `NNN-name.sql`, applied in numeric order. */
const FILE = /^\d{3}-[a-z-]+\.sql$/

/**
 * Applies all pending migrations in one transaction. Processes that start at the same time wait for each other.
 *
 * @returns The files that were applied.
 */
export async function migrate(database: Database): Promise<readonly string[]> {
  return database.exclusively(async () => {
    const applied = await database.transaction(applyMissing)
    await eventRecords(database).migrate()
    return applied
  })
}

/** The pending migrations of a migrated database, in order. */
export async function missingMigrations(database: Queryable): Promise<readonly string[]> {
  const files = (await readdir(FOLDER)).filter((file) => FILE.test(file)).toSorted()
  const rows = await database.query<{ file: string }>('SELECT file FROM service_migrations')
  const seen = new Set(rows.map(({ file }) => file))
  return files.filter((file) => !seen.has(file))
}

async function applyMissing(tx: Transaction): Promise<readonly string[]> {
  await tx.query('CREATE TABLE IF NOT EXISTS service_migrations (file text PRIMARY KEY)')
  const missing = await missingMigrations(tx)
  for (const file of missing) await apply(tx, file)
  return missing
}

async function apply(tx: Transaction, file: string): Promise<void> {
  await tx.script(await readFile(new URL(file, FOLDER), 'utf8'))
  await tx.query('INSERT INTO service_migrations (file) VALUES ($1)', [file])
}
