import { onTestFinished } from 'vitest'
import { PostgresServer } from '../../support/postgres-server.ts'

/** The connection string of a Postgres that belongs to one test. */
export async function postgresUrl(): Promise<string> {
  const server = await PostgresServer.start()
  onTestFinished(() => server.remove())
  return server.url
}
