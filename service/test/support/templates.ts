import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { PostgresServer, WHY_NO_POSTGRES } from '../../../test/support/postgres-server.ts'
import { onPGlite } from '../../src/database/pglite.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { addressIn, TEMPLATE } from './copies.ts'
import { Subject } from './subject.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A tar of the data folder of a migrated and seeded PGlite. */
    pgliteTemplate: string
    /** The folder of a Postgres server with the same database. Empty without one. */
    postgresFolder: string
  }
}

/** Runs before the service's tests. Without it, setup would dominate each file's time. */
export default async function prepare({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'hookgate-templates-'))
  const [pglite, server] = await Promise.all([preparePGlite(folder), preparePostgres()])
  provide('pgliteTemplate', pglite)
  provide('postgresFolder', server?.folder ?? '')
  return async () => {
    await server?.remove()
    await rm(folder, { recursive: true })
  }
}

async function preparePGlite(folder: string): Promise<string> {
  const client = await PGlite.create()
  const subject = new Subject()
  await subject.start(onPGlite(client))
  const tar = join(folder, 'pglite.tar')
  await client.exec('CHECKPOINT') // a copy that replays the log would skip some numeric IDs
  const dump = await client.dumpDataDir('none')
  await writeFile(tar, Buffer.from(await dump.arrayBuffer()))
  await client.close()
  return tar
}

async function preparePostgres(): Promise<PostgresServer | undefined> {
  if (WHY_NO_POSTGRES) return undefined
  const server = await PostgresServer.start()
  const { folder, address } = server
  const first = new pg.Client(address) // without the service's deadline, which a busy machine exceeds here
  await first.connect()
  await first.query(`CREATE DATABASE ${TEMPLATE}`)
  await first.end()
  const subject = new Subject()
  await subject.start(openPostgres(addressIn(folder, TEMPLATE), () => {}))
  await subject.stop()
  return server
}
