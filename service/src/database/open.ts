import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { Config } from '../config.ts'
import type { Database } from './database.ts'
import { lockFolder } from './folder-lock.ts'
import { onPGlite } from './pglite.ts'
import { openPostgres } from './postgres.ts'

/** Opens the Postgres server at this URL, or else a PGlite in the folder, which it locks. */
export async function openDatabase(
  { SERVICE_DATABASE_URL: url, SERVICE_POOL_SIZE: max, SERVICE_DATA: folder }: Config,
  report: (error: unknown) => void,
): Promise<Database> {
  if (url !== undefined) return openPostgres({ connectionString: url, max }, report)
  const unlock = await lockFolder(folder)
  const database = onPGlite(await PGlite.create(join(folder, 'postgres')))
  return { ...database, close: () => database.close().finally(unlock) }
}
