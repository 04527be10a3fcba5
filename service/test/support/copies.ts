import { readFile } from 'node:fs/promises'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { Database } from '../../src/database/database.ts'
import { onPGlite } from '../../src/database/pglite.ts'

/** The templates that `templates.ts` prepares once per test run. Test files work on copies, never on the templates. */
export const TEMPLATE = 'service_template'

/** @param tar The data folder of a PGlite. */
export async function copyOfPGlite(tar: string): Promise<Database> {
  return onPGlite(await PGlite.create({ loadDataDir: new Blob([await readFile(tar)]) }))
}

/** For pg, a folder is the path of a server's socket. */
export function addressIn(host: string, database: string) {
  return { host, port: 5432, user: 'hookgate', database }
}

type Address = ReturnType<typeof addressIn>

/** The same for another process. */
export function urlOf({ host, user, database }: Address): string {
  return `postgres://${user}@localhost/${database}?host=${host}`
}

/** @param folder The folder of the server with the template. */
export function copyOfPostgres(folder: string): Promise<Address> {
  return newDatabase(folder, TEMPLATE)
}

/** Empty unless copied from a template. */
export async function newDatabase(folder: string, template = 'template1'): Promise<Address> {
  const name = `copy_${crypto.randomUUID().replaceAll('-', '')}`
  const client = new pg.Client(addressIn(folder, 'postgres'))
  await client.connect()
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  await client.end()
  return addressIn(folder, name)
}
