import { onTestFinished } from 'vitest'
import { PostgresServer } from '../support/postgres-server.ts'

/** A Postgres of this test's own, as a connection string. */
export async function postgresUrl(): Promise<string> {
  const server = await PostgresServer.start()
  onTestFinished(() => server.remove())
  return server.url
}
