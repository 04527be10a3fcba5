import { join } from 'node:path'
import type { Database } from './database.ts'
import { lockFolder } from './folder-lock.ts'
import { openPGlite } from './pglite.ts'
import { openPostgres } from './postgres.ts'

/** Opens the Postgres server at this URL, or else a PGlite in the folder, which it locks. */
export async function openDatabase(
  url: string | undefined,
  folder: string,
  report: (error: unknown) => void,
): Promise<Database> {
  if (url !== undefined) return openPostgres({ connectionString: url }, report)
  const unlock = await lockFolder(folder)
  const database = await openPGlite(join(folder, 'postgres'))
  return { ...database, close: () => database.close().finally(unlock) }
}
