import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { Config } from '../config.ts'
import type { Database } from './database.ts'
import { lockFolder } from './folder-lock.ts'
import { onPGlite } from './pglite.ts'
import { openPostgres } from './postgres.ts'

/** Opens the Postgres server at this URL, or else a PGlite in the folder, which it locks. */
export async function openDatabase(
  { databaseUrl: url, poolSize, folder }: Pick<Config, 'databaseUrl' | 'poolSize' | 'folder'>,
  report: (error: unknown) => void,
): Promise<Database> {
  if (url !== undefined) return openPostgres({ connectionString: url, max: poolSize }, report)
  const unlock = await lockFolder(folder)
  const database = onPGlite(await PGlite.create(join(folder, 'postgres')))
  return { ...database, close: () => database.close().finally(unlock) }
}
