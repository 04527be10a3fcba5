import type { Authenticator } from './auth/authenticator.ts'
import type { EventStore } from './event-store.ts'
import type { Json } from './lib/json.ts'
import {
  aFunction,
  asFrom,
  checkedElsewhere,
  checkOptions,
  type OptionCheck,
  type OptionTable,
  oneOfWords,
  optional,
  positiveInteger,
  positiveSeconds,
  timerSeconds,
  wellFormedText,
  withMethods,
} from './lib/options.ts'
import { checkMemory } from './listener-defaults.ts'
import type { PayloadSchema } from './payload-schema.ts'
import type { Verdict } from './verdict.ts'

/** Milliseconds since 1970. `Date` is one. */
export interface Clock {
  /** The time now. */
  now(): number
}

/** What is known of a delivery when its verdict is in. The event ID only once it has proved to be a UUID v4. */
export interface VerdictContext {
  /** The `id` of the listener. */
  readonly listenerId: string
  /** `Webhook-Event-Id` in lower case. */
  readonly eventId?: string
  /** The address that was judged, if it is one. */
  readonly sourceIp?: string
  /**
   * In milliseconds: from the whole body to the verdict, including the store's answer but not the hooks that Fastify runs
   * before it. Incomplete body: the time waited. Failure after a verdict: the time since the claim, or 0.
   */
  readonly durationMs: number
}

/** One webhook endpoint (specification 4.2 and 5.2). Three options are required: `id`, `auth` and `store`. */
export interface ListenerOptions<Payload = Json> {
  /** Namespaces event IDs in the store, so that listeners may share one. Any text; it is not read from the path. */
  readonly id: string
  /** Exactly one authentication method: a sender's scheme like `stripe(…)`, or the specification's `hmac(…)` or `jwt(…)`. */
  readonly auth: Authenticator
  /** Where events are remembered. There is no default: a memory store forgets at every restart. */
  readonly store: EventStore
  /** Networks that may send, like `192.0.2.0/24`. Left out, no address is checked. */
  readonly allowedCidrs?: readonly string[] | undefined
  /** Largest body, in bytes. Default: the largest that the sender sends; 65,536 by the specification. */
  readonly maxBodyBytes?: number | undefined
  /**
   * How far the timestamp may be off, in seconds, either way, inclusive. Default 300, or the scheme's. Of schemes that sign
   * the time of the event alone: how old that may be.
   */
  readonly toleranceSeconds?: number | undefined
  /**
   * How long a finished event is remembered, in seconds. Default 604,800, which is 7 days; 30 days for schemes whose
   * signature holds no time of the attempt.
   */
  readonly retentionSeconds?: number | undefined
  /** How long a claim protects running work, in seconds. Default 60, or the scheme's. After a crash the event is free again when it ends. */
  readonly leaseSeconds?: number | undefined
  /** How long the store may take for one call, in seconds. Default 2. */
  readonly storeTimeoutSeconds?: number | undefined
  /**
   * Any Standard Schema: types `event.payload`, and refuses (400) what does not fit, before the claim. One that throws
   * refuses, too: what needs a database belongs in the handler.
   */
  readonly payload?: PayloadSchema<Payload> | undefined
  /**
   * `auto` (default): the adapter settles by the status of the answer: 2xx commits, 408, 503, 504, a client that left and
   * no answer at all leave the lease to lapse, everything else releases. `manual`: the handler commits or releases.
   */
  readonly settle?: 'auto' | 'manual' | undefined
  /** Told of every verdict. Never awaited; what it throws is dropped. */
  readonly onVerdict?: ((verdict: Verdict<Payload>, context: VerdictContext) => unknown) | undefined
  /**
   * Told of every failure that is not the sender's: the store, the key host, a payload schema that throws, a Node response
   * that is still open when its lease is over. Never awaited; what it throws is dropped.
   */
  readonly onError?: ((error: unknown, context: VerdictContext) => unknown) | undefined
  /** The time, for tests. Default `Date`. */
  readonly clock?: Clock | undefined
  /** Tells this process from all others that share the store, for tests. Default `crypto.randomUUID()`. */
  readonly randomUuid?: (() => string) | undefined
}

const standardSchema: OptionCheck = (value, option) => {
  withMethods('validate')(Object(value)['~standard'], `${option}['~standard']`)
}

const OPTIONS: OptionTable<ListenerOptions<unknown>> = {
  id: wellFormedText,
  auth: asFrom(': try hmac()', 'authenticate'),
  store: asFrom(': try memoryStore()', 'claim', 'commit', 'release'),
  allowedCidrs: checkedElsewhere,
  maxBodyBytes: optional(positiveInteger),
  toleranceSeconds: optional(positiveSeconds),
  retentionSeconds: optional(positiveSeconds),
  leaseSeconds: optional(positiveSeconds),
  storeTimeoutSeconds: optional(timerSeconds),
  payload: optional(standardSchema),
  settle: optional(oneOfWords('auto', 'manual')),
  onVerdict: optional(aFunction),
  onError: optional(aFunction),
  clock: optional(withMethods('now')),
  randomUuid: optional(aFunction),
}

/** @throws ListenerConfigError for the first option that is missing, unknown or unsafe. */
export function checkListenerOptions<Payload>(options: ListenerOptions<Payload>): void {
  checkOptions('defineListener', options, OPTIONS)
  checkMemory(options)
}
