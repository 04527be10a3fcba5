/** The public surface of `hookgate/inbox`. */
export type { CheckOptions, StoreProblem } from '../stores/contract.ts'
export type { PostgresClient } from '../stores/postgres/client.ts'
export type { PutOptions } from './claims.ts'
export type { Drained } from './drain.ts'
export {
  type DrainOptions,
  type Inbox,
  type InboxCounts,
  type InboxOptions,
  inbox,
  type WorkOptions,
} from './inbox.ts'
export type { JobName, ListedJob, ListedState, ListOptions } from './listed.ts'
export type { Mended, MendOptions } from './mended.ts'
export type { OldestJob } from './overview.ts'
export type { InboxHandler, InboxRun } from './run.ts'
export type { JobEvent } from './stored-event.ts'
export type { InboxErrorContext } from './teller.ts'
export type { InboxWorker } from './worker.ts'
