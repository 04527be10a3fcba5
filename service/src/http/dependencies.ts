import type { Database } from '../database/database.ts'
import type { JobQueue } from '../jobs/queue.ts'

/** What the routes are given. Nothing else reaches them from outside. */
export interface Dependencies {
  readonly database: Database
  /** Milliseconds since the epoch. `Date` is one. */
  readonly clock: { now(): number }
  /** A UUID, new each time. */
  readonly newId: () => string
  /** The service's root secret, from which `derivedKey()` makes a key for each purpose. */
  readonly secret: string
  /** `http://127.0.0.1:8080`, without a slash at the end: what the tenant is called by outside. */
  readonly baseUrl: string
  /** Whether a policy may defer its baseline to another one (specification, 2.9: behind a feature flag). */
  readonly baselinePolicies: boolean
  /** Who may skip a step that names others as its approvers: every operator, or its approvers and super admins only. */
  readonly skippers: 'operators' | 'approvers'
  /** Where the runs of automations wait to be worked on. */
  readonly jobs: JobQueue
  /** Networks of the proxies in front, like `10.0.0.0/8`. Empty: the socket's address is the source. */
  readonly trustedProxies: readonly string[]
  /** Development only: whether a JWKS may be fetched from private, loopback and link-local addresses. */
  readonly allowPrivateJwks: boolean
  /** Aborts when the service is being stopped: what would go on for ever ends. */
  readonly stopping: AbortSignal
  /** Is told of failures that are no refusals. */
  readonly report: (error: unknown) => void
}
