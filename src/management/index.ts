/** The public surface of `hookgate/management`. */
export type { Call, Endpoints, Listing, ManagementApi, Missed, Renewal, Texts } from './api.ts'
export type { ManagementFetch } from './client.ts'
export { ManagementError } from './errors.ts'
export { type Finding, type InspectOptions, inspect } from './inspect.ts'
export type { Mode } from './missed.ts'
export { type FailedEvent, type RecoverOptions, type Recovery, recover } from './recover.ts'
export { type Renewed, type RenewOptions, renew } from './renew.ts'
