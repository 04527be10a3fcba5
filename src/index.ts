export type { Authentication, Authenticator, AuthReason } from './auth/authenticator.ts'
export type { Evidence } from './auth/evidence.ts'
export { generateSecret, type HmacOptions, hmac } from './auth/hmac.ts'
export type { NamedSecret, Secrets } from './auth/secrets.ts'
export type { Delivery } from './delivery.ts'
export {
  EventStoreError,
  KeySetError,
  LeaseLostError,
  ListenerConfigError,
  ListenerLoadError,
} from './errors.ts'
export type {
  ClaimedEvent,
  EventAuth,
  JwtClaims,
  PayloadSchema,
  UntypedEvent,
  WebhookEvent,
} from './event.ts'
export {
  type AcceptingListener,
  type ClaimAnswer,
  type CommitAnswer,
  type CommitIn,
  type EventKey,
  type EventStore,
  eventKeyText,
  type RenewAnswer,
} from './event-store.ts'
export { inTransaction } from './joining.ts'
export type { Clock } from './lib/clock.ts'
export type { Json } from './lib/json.ts'
export type { MaybePromise } from './lib/maybe-promise.ts'
export {
  defineListener,
  type EventOf,
  type Listener,
  type ListenerOptions,
  type PayloadOf,
  type VerdictContext,
} from './listener.ts'
export type { Reason, RejectedStatus } from './reason.ts'
export type { Reply } from './reply.ts'
export type { InboxFields, KeysFields, StoreFields, VerifyFields } from './report.ts'
export { route } from './route.ts'
export type { EventTypes, Named } from './typed-events.ts'
export { type Accepted, type Handshake, type Rejected, replyTo, type Verdict } from './verdict.ts'
export { verify } from './verify.ts'
