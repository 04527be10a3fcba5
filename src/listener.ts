import type { Authenticator } from './auth/authenticator.ts'
import type { EventStore } from './event-store.ts'
import { type AddressMatcher, compileCidrs } from './lib/cidr.ts'
import type { Json } from './lib/json.ts'
import { defaultsOf } from './listener-defaults.ts'
import {
  type Clock,
  checkListenerOptions,
  type ListenerOptions,
  type VerdictContext,
} from './listener-options.ts'
import type { PayloadSchema } from './payload-schema.ts'
import type { Verdict } from './verdict.ts'

/** Options, checked and compiled. Made once at start, by `defineListener`; used for every delivery. */
export interface Listener<Payload = Json> {
  /** Namespaces event IDs in the store. */
  readonly id: string
  /** The one authentication method. */
  readonly auth: Authenticator
  /** Where events are remembered. */
  readonly store: EventStore
  /** `allowedCidrs`, compiled. Undefined where every address may send. */
  readonly isSourceAllowed: AddressMatcher | undefined
  /** Largest body, in bytes. */
  readonly maxBodyBytes: number
  /** How far the timestamp may be off, in seconds, either way. */
  readonly toleranceSeconds: number
  /** How long a finished event is remembered, in milliseconds. */
  readonly retentionMs: number
  /** How long a claim protects running work, in milliseconds. */
  readonly leaseMs: number
  /** How long the store may take for one call, in milliseconds. */
  readonly storeTimeoutMs: number
  /** What the payload has to fit. Undefined where any JSON does. */
  readonly payload: PayloadSchema<Payload> | undefined
  /** Who commits or releases: the adapter, or the handler. */
  readonly settle: 'auto' | 'manual'
  // A method, so that a listener of any payload can stand where the payload does not matter.
  /** Told of every verdict. */
  onVerdict?(verdict: Verdict<Payload>, context: VerdictContext): unknown
  /** Told of every failure that is not the sender's. */
  onError?(error: unknown, context: VerdictContext): unknown
  /** The time. */
  readonly clock: Clock
  /** Names the owner of the next claim: no two in any process are equal. */
  readonly nextOwner: () => string
}

/**
 * Describes one webhook endpoint. Everything is checked and compiled here, so that deliveries only have to match.
 *
 * @throws ListenerConfigError for anything missing, unknown, misspelt or unsafe; the message says what to write.
 */
export function defineListener<Payload = Json>(options: ListenerOptions<Payload>): Listener<Payload> {
  checkListenerOptions(options)
  const { allowedCidrs } = options
  const defaults = defaultsOf(options.auth.sender?.scheme)
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
    ...(options.onVerdict && { onVerdict: options.onVerdict }),
    ...(options.onError && { onError: options.onError }),
    clock: options.clock ?? Date,
    nextOwner: ownerNames(options.randomUuid ?? (() => crypto.randomUUID())),
  })
}

/** A name for each claim: random once, at the first (workerd has no randomness before it), then counted. */
function ownerNames(randomUuid: () => string): () => string {
  let prefix: string | undefined
  let count = 0
  return () => {
    prefix ??= `${randomUuid()}.`
    count += 1
    return prefix + count // a template would make, and keep, a text for each of its steps
  }
}
