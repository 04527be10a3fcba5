import { join } from 'node:path'
import type { Database } from './database.ts'
import { openPGlite } from './pglite.ts'
import { openPostgres } from './postgres.ts'

/** The Postgres at this URL, or one inside this process with its files in the folder. */
export function openDatabase(
  url: string | undefined,
  folder: string,
  report: (error: unknown) => void,
): Promise<Database> | Database {
  return url === undefined
    ? openPGlite(join(folder, 'postgres'))
    : openPostgres({ connectionString: url }, report)
}
