import type { Database } from '../database/database.ts'

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
  /** Is told of failures that are no refusals. */
  readonly report: (error: unknown) => void
}
