import type { Authenticator } from './auth/authenticator.ts'
import type { EventStore } from './event-store.ts'
import { type AddressMatcher, compileCidrs } from './lib/cidr.ts'
import type { Clock } from './lib/clock.ts'
import type { Json } from './lib/json.ts'
import { defaultsOf } from './listener-defaults.ts'
import { checkListenerOptions, type ListenerOptions, type VerdictContext } from './listener-options.ts'
import { checkRetention } from './listener-retention.ts'
import type { PayloadSchema } from './payload-schema.ts'
import type { Verdict } from './verdict.ts'

/** Methods are bivariant: any listener is assignable to `Listener<unknown>`. */
interface Hooks<Payload> {
  onVerdict(verdict: Verdict<Payload>, context: VerdictContext): unknown
  onError(error: unknown, context: VerdictContext): unknown
}

/**
 * Validated and compiled options. Create one at startup with `defineListener` and use it for every delivery.
 *
 * @see {@link defineListener}
 */
export interface Listener<Payload = Json> {
  /** Namespaces event IDs in the store. */
  readonly id: string
  /** The authentication method. */
  readonly auth: Authenticator
  /** Remembers events. */
  readonly store: EventStore
  /** `allowedCidrs`, compiled. Undefined if every address may send. */
  readonly isSourceAllowed: AddressMatcher | undefined
  /** Maximum body size in bytes. */
  readonly maxBodyBytes: number
  /** How far the timestamp may be from now, in seconds, in either direction. */
  readonly toleranceSeconds: number
  /** How long a committed event is remembered, in milliseconds. */
  readonly retentionMs: number
  /** How long a claim protects a running handler, in milliseconds. */
  readonly leaseMs: number
  /** Timeout for one store call, in milliseconds. */
  readonly storeTimeoutMs: number
  /** Validates the payload. Undefined if any payload is accepted. */
  readonly payload: PayloadSchema<Payload> | undefined
  /** Whether the adapter (`auto`) or your handler (`manual`) commits and releases. */
  readonly settle: 'auto' | 'manual'
  /** Called with every verdict. */
  readonly onVerdict: Hooks<Payload>['onVerdict'] | undefined
  /** Called for every failure that is not the sender's fault. */
  readonly onError: Hooks<Payload>['onError'] | undefined
  /** The clock, in milliseconds since 1970. */
  readonly clock: Clock
  /** Returns an owner name for the next claim, unique across all processes. */
  readonly nextOwner: () => string
}

/**
 * Defines one webhook endpoint. Validates and compiles the options once, so that each delivery costs little.
 *
 * @example
 * ```ts
 * const listener = defineListener({
 *   id: 'orders',
 *   auth: hmac({ secrets: process.env.WEBHOOK_SECRET ?? '' }),
 *   store: redisStore(client),
 * })
 * ```
 *
 * @throws ListenerConfigError for a missing, unknown, misspelt or unsafe option. The message says what to write.
 */
export function defineListener<Payload = Json>(options: ListenerOptions<Payload>): Listener<Payload> {
  checkListenerOptions(options)
  const defaults = defaultsOf(options.auth.sender?.scheme)
  checkRetention(options, defaults)
  const { allowedCidrs } = options
  return Object.freeze({
    id: options.id,
    auth: options.auth,
    store: options.store,
    isSourceAllowed: allowedCidrs === undefined ? undefined : compileCidrs(allowedCidrs, 'allowedCidrs'),
    maxBodyBytes: options.maxBodyBytes ?? defaults.maxBodyBytes,
    toleranceSeconds: options.toleranceSeconds ?? defaults.toleranceSeconds,
    retentionMs: (options.retentionSeconds ?? defaults.retentionSeconds) * 1000,
    leaseMs: (options.leaseSeconds ?? defaults.leaseSeconds) * 1000,
    storeTimeoutMs: (options.storeTimeoutSeconds ?? 2) * 1000,
    payload: options.payload,
    settle: options.settle ?? 'auto',
    onVerdict: options.onVerdict,
    onError: options.onError,
    clock: options.clock ?? Date,
    nextOwner: ownerNames(options.randomUuid ?? (() => crypto.randomUUID())),
  })
}

/** Draws randomness at the first claim, because workerd has none at startup, and counts from there. */
function ownerNames(randomUuid: () => string): () => string {
  let prefix: string | undefined
  let count = 0
  return () => {
    prefix ??= `${randomUuid()}.`
    count += 1
    return prefix + count // concatenation keeps fewer intermediate strings than a template
  }
}
