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
  /** Whether a policy may defer its baseline to another policy. A feature flag (specification, 2.9). */
  readonly baselinePolicies: boolean
  /** Who may skip a step that names other approvers: every operator, or only its approvers and super admins. */
  readonly skippers: 'operators' | 'approvers'
  /** The queue of the automations' runs. */
  readonly runs: RunQueue
  /** The networks of the proxies in front, e.g. `10.0.0.0/8`. If empty, the source is the socket's address. */
  readonly trustedProxies: readonly string[]
  /** Whether to fetch a JWKS from private, loopback and link-local addresses. For development only. */
  readonly allowPrivateJwks: boolean
  /** After how many days old runs and audits are deleted. Undefined keeps them. */
  readonly retentionDays?: number | undefined
  readonly metrics: Metrics
  /** Aborts on shutdown. The service is then no longer ready. */
  readonly stopping: AbortSignal
  /** Called with unexpected errors, and with the ID of the request that failed. */
  readonly report: (error: unknown, requestId?: string) => void
}
