import { readFile } from 'node:fs/promises'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { Database } from '../../src/database/database.ts'
import { onPGlite } from '../../src/database/pglite.ts'

/** What `templates.ts` prepares once for a run of the tests. A file of tests takes copies, and nobody writes to these. */
export const TEMPLATE = 'service_template'

/** @param tar The data folder of a PGlite. */
export async function copyOfPGlite(tar: string): Promise<Database> {
  return onPGlite(await PGlite.create({ loadDataDir: new Blob([await readFile(tar)]) }))
}

/** For pg: a folder is where a server's socket is. */
export function addressIn(host: string, database: string) {
  return { host, port: 5432, user: 'hookgate', database }
}

type Address = ReturnType<typeof addressIn>

/** The same for a process of its own. */
export function urlOf({ host, user, database }: Address): string {
  return `postgres://${user}@localhost/${database}?host=${host}`
}

/** @param folder Where the server is that has the template. */
export function copyOfPostgres(folder: string): Promise<Address> {
  return newDatabase(folder, TEMPLATE)
}

/** Empty, unless it is made after a template. */
export async function newDatabase(folder: string, template = 'template1'): Promise<Address> {
  const name = `copy_${crypto.randomUUID().replaceAll('-', '')}`
  const client = new pg.Client(addressIn(folder, 'postgres'))
  await client.connect()
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  await client.end()
  return addressIn(folder, name)
}
