import { type PostgresStore, postgresStore } from 'hookgate/stores/postgres'
import type { Database } from '../database/database.ts'

/** Which events were accepted, for 7 days (specification 6, 8.2). Written in the transactions of their runs. */
export function eventRecords(database: Database): PostgresStore {
  return postgresStore(database.client, { table: 'webhook_events', mode: 'single' })
}
