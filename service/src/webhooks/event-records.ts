import { type PostgresStore, postgresStore } from 'hookgate/stores/postgres'
import type { Database } from '../database/database.ts'

/** Remembers accepted events for 7 days. That an event is done is written in the transaction of its run. */
export function eventRecords(database: Database): PostgresStore {
  return postgresStore(database.client, { table: 'claimed_events' })
}
