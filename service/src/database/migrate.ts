import { readdir, readFile } from 'node:fs/promises'
import { eventRecords } from '../webhooks/event-records.ts'
import type { Database, Queryable, Transaction } from './database.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)

/** `NNN-name.sql`, applied in the order of the numbers. */
const FILE = /^\d{3}-[a-z-]+\.sql$/

/**
 * Applies the migrations that the database has not seen, all of them in one transaction. Any number of processes may start
 * at once: they wait for one another.
 *
 * @returns The files that were applied now.
 */
export async function migrate(database: Database): Promise<readonly string[]> {
  return database.exclusively(async () => {
    const applied = await database.transaction(applyMissing)
    await eventRecords(database).migrate()
    return applied
  })
}

/** The files that a migrated database has not seen, in the order in which they are to be applied. */
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
