export type { Authenticator } from './auth/authenticator.ts'
export { generateSecret, type HmacOptions, type HmacSecret, hmac } from './auth/hmac.ts'
export type { Delivery } from './delivery.ts'
export { EventStoreError, KeySetError, ListenerConfigError } from './errors.ts'
export type { EventAuth, JwtClaims, WebhookEvent } from './event.ts'
export {
  type ClaimAnswer,
  type CommitAnswer,
  type EventKey,
  type EventStore,
  eventKeyText,
} from './event-store.ts'
export type { Json } from './lib/json.ts'
export {
  type Clock,
  defineListener,
  type Listener,
  type ListenerOptions,
  type VerdictContext,
} from './listener.ts'
export type { PayloadSchema } from './payload-schema.ts'
export type { Accepted, Reason, Rejected, RejectedStatus, Verdict } from './verdict.ts'
export { verify } from './verify.ts'
