import { join } from 'node:path'
import type { Database } from './database.ts'
import { lockFolder } from './folder-lock.ts'
import { openPGlite } from './pglite.ts'
import { openPostgres } from './postgres.ts'

/** The Postgres at this URL, or one inside this process with its files in the folder, which is then this process's. */
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
