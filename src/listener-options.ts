import type { Authenticator } from './auth/authenticator.ts'
import type { EventStore } from './event-store.ts'
import type { Clock } from './lib/clock.ts'
import type { Json } from './lib/json.ts'
import {
  aFunction,
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
import type { PayloadSchema } from './payload-schema.ts'
import type { Verdict } from './verdict.ts'

/**
 * What hookgate knows about a delivery when it reports a verdict or an error.
 *
 * @example
 * ```ts
 * const log = (verdict: Verdict, { listenerId, durationMs }: VerdictContext) =>
 *   console.log(listenerId, verdict.ok, durationMs)
 * const listener = defineListener({ ...options, onVerdict: log })
 * ```
 */
export interface VerdictContext {
  /** The `id` of the listener. */
  readonly listenerId: string
  /** The event's ID. Set only after the ID has passed its check. */
  readonly eventId?: string
  /** The source address that was checked. Absent if it is not a valid address. */
  readonly sourceIp?: string
  /**
   * Milliseconds from the complete body to the verdict. Includes the store call, but not the hooks that Fastify runs
   * before it. For an incomplete body: the time waited. For a failure after the verdict: the time since the claim, or 0.
   */
  readonly durationMs: number
}

/**
 * The options of one webhook endpoint. `id`, `auth` and `store` are required.
 *
 * @example
 * ```ts
 * const options: ListenerOptions = { id: 'orders', auth: hmac({ secrets: secret }), store: memoryStore() }
 * ```
 */
export interface ListenerOptions<Payload = Json> {
  /** Namespaces event IDs, so that listeners can share a store. Any non-empty text; unrelated to the URL path. */
  readonly id: string
  /**
   * The authentication method: a sender's scheme, e.g. `stripe(…)`, or `hmac(…)` or `jwt(…)` for
   * [hookgate's scheme](https://github.com/hookgate/hookgate/blob/main/docs/specification.md).
   */
  readonly auth: Authenticator
  /** Remembers events. There is no default, because a memory store forgets everything when the process restarts. */
  readonly store: EventStore
  /** Networks that may send, e.g. `192.0.2.0/24`. If omitted, source addresses are not checked. */
  readonly allowedCidrs?: readonly string[] | undefined
  /** Maximum body size in bytes. Defaults to the scheme's limit: 65,536 for hookgate's scheme. */
  readonly maxBodyBytes?: number | undefined
  /**
   * How far the timestamp may be from now, in seconds, in either direction, inclusive. Defaults to the scheme's tolerance:
   * 300 for hookgate's scheme. If the scheme signs only the time of the event, this is its maximum age.
   */
  readonly toleranceSeconds?: number | undefined
  /**
   * How long a committed event is remembered, in seconds. Defaults to 604,800 (7 days), or to 30 days if the scheme's
   * signature does not cover the time of the attempt.
   */
  readonly retentionSeconds?: number | undefined
  /**
   * How long a claim protects a running handler, in seconds. Defaults to 60, or to the scheme's lease. If the process
   * crashes, the event can be claimed again when the lease ends.
   */
  readonly leaseSeconds?: number | undefined
  /** Timeout for one store call, in seconds. Defaults to 2. */
  readonly storeTimeoutSeconds?: number | undefined
  /**
   * A Standard Schema (zod, valibot, arktype, …) that validates and types `event.payload`. Runs before the claim and refuses
   * invalid payloads with 400. A schema that throws also refuses, so keep database lookups in the handler.
   */
  readonly payload?: PayloadSchema<Payload> | undefined
  /**
   * `auto` (default): the adapter settles the event by the response's status. 2xx commits. 408, 503, 504, a client that
   * disconnected and a missing response let the lease expire. Everything else releases.
   * `manual`: your handler calls `commit()` or `release()`.
   */
  readonly settle?: 'auto' | 'manual' | undefined
  /** Called with every verdict. Not awaited; errors it throws are ignored. */
  readonly onVerdict?: ((verdict: Verdict<Payload>, context: VerdictContext) => unknown) | undefined
  /**
   * Called for every failure that is not the sender's fault: the store, the key host, a payload schema that throws, or a
   * Node response that is still open when its lease ends. Not awaited; errors it throws are ignored.
   */
  readonly onError?: ((error: unknown, context: VerdictContext) => unknown) | undefined
  /** The clock, for tests. Defaults to `Date`. */
  readonly clock?: Clock | undefined
  /** Returns a UUID that identifies this process in the store, for tests. Defaults to `crypto.randomUUID()`. */
  readonly randomUuid?: (() => string) | undefined
}

const standardSchema: OptionCheck = (value, option) => {
  withMethods(['validate'])(Object(value)['~standard'], `${option}['~standard']`)
}

const OPTIONS: OptionTable<ListenerOptions<unknown>> = {
  id: wellFormedText,
  auth: withMethods(['authenticate'], 'hmac({ secrets })'),
  store: withMethods(['claim', 'commit', 'release'], 'memoryStore()'),
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
  clock: optional(withMethods(['now'])),
  randomUuid: optional(aFunction),
}

/** @throws ListenerConfigError for the first missing, unknown or unsafe option. */
export function checkListenerOptions<Payload>(options: ListenerOptions<Payload>): void {
  checkOptions('defineListener', options, OPTIONS)
}
