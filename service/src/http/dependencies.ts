import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { Metrics } from '../metrics.ts'
import type { RunQueue } from '../runs/queue.ts'

/** Everything that the routes get from outside. */
export interface Dependencies {
  readonly database: Database
  /** Milliseconds since the epoch. `Date` is one. */
  readonly clock: { now(): number }
  /** Returns a new UUID. */
  readonly newId: () => string
  /** The service's root secret, from which `derivedKey()` makes a key for each purpose. */
  readonly secret: string
  /** The root secret to rotate from, or to. Opens what it sealed, and seals nothing. */
  readonly otherSecret?: string | undefined
  /** The public URL of the tenant, without a trailing slash, e.g. `http://127.0.0.1:8080`. */
  readonly baseUrl: string
  readonly config: Config
  /** The queue of the automations' runs. */
  readonly runs: RunQueue
  readonly metrics: Metrics
  /** Aborts on shutdown. The service is then no longer ready. */
  readonly stopping: AbortSignal
  /** Called with unexpected errors, and with the ID of the request that failed. */
  readonly report: (error: unknown, requestId?: string) => void
}
