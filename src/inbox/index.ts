/** The public surface of `hookgate/inbox`. */
export type { PostgresClient } from '../stores/postgres/client.ts'
export type { PutOptions } from './claims.ts'
export { type Inbox, type InboxCounts, type InboxOptions, inbox, type WorkOptions } from './inbox.ts'
export type { InboxHandler, InboxRun } from './run.ts'
export type { JobEvent } from './stored-event.ts'
export type { InboxErrorContext, InboxWorker } from './worker.ts'
