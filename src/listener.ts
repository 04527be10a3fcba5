import type { Authenticator } from './auth/authenticator.ts'
import { ListenerConfigError } from './errors.ts'
import type { PayloadSchema, WebhookEvent } from './event.ts'
import type { EventStore } from './event-store.ts'
import { type AddressMatcher, compileCidrs } from './lib/cidr.ts'
import type { Clock } from './lib/clock.ts'
import { ignoreRejection } from './lib/hooks.ts'
import type { Json } from './lib/json.ts'
import { memberOf, textOf } from './lib/member-of.ts'
import {
  aBoolean,
  aFunction,
  checkedElsewhere,
  checkOptions,
  hasMethod,
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
import type { WaitUntil } from './lib/refreshed.ts'
import {
  MAX_RUN_SECONDS,
  RETENTION_SECONDS,
  replayWindowSeconds,
  UNTIMED_RETENTION_SECONDS,
} from './limits.ts'
import { type Protocol, protocolOf } from './protocol.ts'
import type { EventTypes } from './typed-events.ts'
import type { Verdict } from './verdict.ts'

/** Methods are bivariant: any listener is assignable to `Listener<unknown>`. */
interface Hooks<Payload> {
  onVerdict(verdict: Verdict<Payload>, context: VerdictContext): unknown
  onError(error: unknown, context: VerdictContext): unknown
}

/** Validated and compiled options. Create one at startup with `defineListener` and use it for every delivery. */
export interface Listener<Payload = Json> {
  /** Namespaces event IDs in the store. */
  readonly id: string
  /** The authentication method. */
  readonly auth: Authenticator
  /** What its deliveries look like: the sender's scheme, or hookgate's own. */
  readonly protocol: Protocol
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
  /** How long the lease of a running handler is renewed, in milliseconds. */
  readonly maxRunMs: number
  /** Timeout for one store call, in milliseconds. */
  readonly storeTimeoutMs: number
  /** Keeps work alive after its request has ended. */
  readonly waitUntil: WaitUntil | undefined
  /** Validates the payload. Undefined if any payload is accepted. */
  readonly payload: PayloadSchema<Payload> | undefined
  /** Whether the adapter (`auto`) or your handler (`manual`) commits and releases. */
  readonly settle: 'auto' | 'manual'
  /** Called with every verdict. Null: adapters write no warning about refusals either. */
  readonly onVerdict: Hooks<Payload>['onVerdict'] | null | undefined
  /** Called for every failure that is not the sender's fault. Null: adapters write no warning either. */
  readonly onError: Hooks<Payload>['onError'] | null | undefined
  /** Whether refusals are explained on a terminal and in a log. */
  readonly explainRefusals: boolean
  /** The clock, in milliseconds since 1970. */
  readonly clock: Clock
  /** Returns an owner name for the next claim, unique across all processes. */
  readonly nextOwner: () => string
}

/**
 * The payload of a listener's events. Of several listeners, the union.
 *
 * @example
 * ```ts
 * type Order = PayloadOf<typeof listener>
 * ```
 */
export type PayloadOf<Given extends Listener<unknown>> =
  Given extends Listener<infer Payload> ? Payload : never

/**
 * A listener's events, e.g. for a handler in another file. Of several listeners, the union.
 *
 * @example
 * ```ts
 * export async function handle(event: EventOf<typeof listener>) {
 *   await saveOrder(event.id, event.payload)
 * }
 * ```
 */
export type EventOf<Given extends Listener<unknown>> = WebhookEvent<PayloadOf<Given>>

/**
 * Defines one webhook endpoint. Validates and compiles the options once, so that each delivery costs little.
 *
 * @example
 * ```ts
 * const listener = defineListener({
 *   id: 'stripe',
 *   auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
 *   store: redisStore(client),
 * })
 * ```
 *
 * @throws ListenerConfigError for a missing, unknown, misspelt or unsafe option. The message says what to write.
 */
export function defineListener<Events = Json, Payload = Events>(
  options: ListenerOptions<Payload, Events>,
): Listener<Payload> {
  checkOptions('defineListener', options, OPTIONS)
  const protocol = protocolOf(options.auth)
  const { allowedCidrs } = options
  return Object.freeze({
    id: options.id,
    auth: options.auth,
    protocol,
    store: options.store,
    isSourceAllowed: allowedCidrs === undefined ? undefined : compileCidrs(allowedCidrs, 'allowedCidrs'),
    ...limitsOf(options, protocol),
    storeTimeoutMs: (options.storeTimeoutSeconds ?? 2) * 1000,
    waitUntil: options.waitUntil,
    payload: options.payload,
    settle: options.settle ?? 'auto',
    onVerdict: options.onVerdict,
    onError: options.onError,
    explainRefusals: options.explainRefusals ?? true,
    clock: options.clock ?? Date,
    nextOwner: ownerNames(options.randomUuid ?? (() => crypto.randomUUID())),
  })
}

/** Draws randomness at the first claim, because workerd has none at startup, and counts from there. */
function ownerNames(randomUuid: () => string): () => string {
  let prefix: string | undefined
  let count = 0
  return nextOwner

  function nextOwner(): string {
    prefix ??= `${textFrom(randomUuid)}.`
    count += 1
    return prefix + count // concatenation keeps fewer intermediate strings than a template
  }
}

/** Two processes that both draw `undefined` would take each other's claims for their own. */
function textFrom(randomUuid: () => unknown): string {
  const drawn = randomUuid()
  if (typeof drawn === 'string' && drawn !== '') return drawn
  ignoreRejection(drawn)
  throw new ListenerConfigError('randomUuid', 'must return a text')
}

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
  /** The event's ID, as in `event.id`. Set only after it has passed its check. */
  readonly eventId?: string
  /** The sender's name for what happened, as in `event.type`. Set together with `eventId`, if the sender names it. */
  readonly eventType?: string
  /**
   * The members that nothing signs, as in `event.unsigned`. An attacker with a captured delivery can change them, so a log
   * should mark them.
   */
  readonly unsigned?: readonly ('id' | 'type' | 'sentAt')[]
  /** The source address that was checked. Absent if it is not a valid address. */
  readonly sourceIp?: string
  /** False if `observeWebhook` judged the request beside an old check: the verdict changed nothing. Otherwise absent. */
  readonly enforced?: false
  /**
   * Milliseconds from the complete body to the verdict. Includes the store call, but not the hooks that Fastify runs
   * before it. For an incomplete body: the time waited. For a failure after the verdict: the time since the claim, or 0.
   */
  readonly durationMs: number
}

/** The options of one webhook endpoint. `id`, `auth` and `store` are required. */
export interface ListenerOptions<Payload = Json, Events = Payload> {
  /** Namespaces event IDs, so that listeners can share a store. Any non-empty text; unrelated to the URL path. */
  readonly id: string
  /**
   * The authentication method: a sender's scheme, e.g. `stripe(…)`, or `hmac(…)` or `jwt(…)` for
   * [hookgate's scheme](https://github.com/hookgate/hookgate/blob/main/docs/specification.md).
   */
  readonly auth: Authenticator & EventTypes<Events>
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
   * How soon the event of a process that died can be claimed again, in seconds. Defaults to 60, or to the scheme's lease. The adapters
   * renew the lease of a running handler at half of it, if the store has `renew`. `verify()` alone does not.
   */
  readonly leaseSeconds?: number | undefined
  /**
   * How long the lease of a running handler is renewed, in seconds: at least `leaseSeconds`. Defaults to 900, or to less if the sender
   * retries for less, so that an attempt remains after a handler that hangs. After that, `onError` is called, `event.signal` is
   * aborted, and the lease expires.
   */
  readonly maxRunSeconds?: number | undefined
  /** Timeout for one store call, in seconds. Defaults to 2. */
  readonly storeTimeoutSeconds?: number | undefined
  /**
   * Keeps work alive after its request has ended: `waitUntil` of `cloudflare:workers`, or your platform's own. Without it, Cloudflare Workers
   * cancel what gives a claim back that the store answered too late, so the sender's retries get a 503 until its lease ends.
   */
  readonly waitUntil?: WaitUntil | undefined
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
  /**
   * Called with every verdict. Not awaited; errors it throws are ignored. Without it, the adapters write refusals to
   * `console.warn`, at most once a minute for each reason. `null` silences them.
   */
  readonly onVerdict?:
    | ((verdict: Verdict<NoInfer<Payload>>, context: VerdictContext) => unknown)
    | null
    | undefined
  /**
   * Called for every failure that is not the sender's fault: the store, the key host, a payload schema that throws, a
   * redirect from the handler, or a handler that has lost its lease. Not awaited; errors it throws are
   * ignored. Without it, the adapters write its message and its cause to `console.warn`, without what they quote, each
   * at most once a minute. `null` silences it.
   */
  readonly onError?: ((error: unknown, context: VerdictContext) => unknown) | null | undefined
  /**
   * Whether the adapters of Node and Bun explain refused deliveries on standard error: the likely mistake and its fix, after the response.
   * On a terminal outside production, or with `HOOKGATE_EXPLAIN=1`, each refusal has a line, and each new mistake its explanation, also
   * beside `onVerdict`. Elsewhere, without `onVerdict`, at most two a minute of each reason in a process, with nothing that a stranger wrote.
   * Not in tests (`NODE_ENV=test`), on AWS Lambda or on Cloud Run. Defaults to true.
   */
  readonly explainRefusals?: boolean | undefined
  /** The clock, for tests. Defaults to `Date`. */
  readonly clock?: Clock | undefined
  /** Returns a UUID that identifies this process in the store, for tests. Defaults to `crypto.randomUUID()`. */
  readonly randomUuid?: (() => string) | undefined
}

/** How to make an authenticator: as the factory says that was passed without a call, or by `hmac`. */
const callOf = (value: unknown) => textOf(value, 'usage') ?? 'hmac({ secrets })'

const standardSchema: OptionCheck = (value, option) => {
  if (hasMethod(memberOf(value, '~standard'), 'validate')) return
  throw new ListenerConfigError(option, 'is not a Standard Schema, such as zod or valibot makes')
}

const aHook: OptionCheck = (value, option) => {
  if (value !== null) optional(aFunction)(value, option)
}

const aStore: OptionCheck = (value, option) => {
  withMethods(['claim', 'commit', 'release'], 'memoryStore()')(value, option)
  optional(aFunction)(memberOf(value, 'renew'), `${option}.renew`)
  optional(withMethods(['join'], 'inTransaction(…)'))(memberOf(value, 'commitIn'), `${option}.commitIn`)
}

const OPTIONS: OptionTable<ListenerOptions<unknown>> = {
  id: wellFormedText,
  auth: (value, option) => withMethods(['authenticate'], callOf(value))(value, option),
  store: aStore,
  allowedCidrs: checkedElsewhere,
  maxBodyBytes: optional(positiveInteger),
  toleranceSeconds: optional(positiveSeconds),
  retentionSeconds: optional(positiveSeconds),
  leaseSeconds: optional(positiveSeconds),
  maxRunSeconds: optional(positiveSeconds),
  storeTimeoutSeconds: optional(timerSeconds),
  waitUntil: optional(aFunction),
  payload: optional(standardSchema),
  settle: optional(oneOfWords('auto', 'manual')),
  onVerdict: aHook,
  onError: aHook,
  explainRefusals: optional(aBoolean),
  clock: optional(withMethods(['now'])),
  randomUuid: optional(aFunction),
}

const LEASE_SECONDS = 60

type Limits = Pick<
  Listener<unknown>,
  'maxBodyBytes' | 'toleranceSeconds' | 'retentionMs' | 'leaseMs' | 'maxRunMs'
>

/**
 * The limits that the options set, or those of the protocol. Requires that an event is remembered for as long as a captured delivery of it
 * still passes the checks.
 *
 * Without a signed attempt time, that is forever. The default retention is then 30 days. At a sender's own tolerance, a store
 * that evicts records only has to keep them for the replay window of hookgate's scheme.
 *
 * @throws ListenerConfigError
 */
function limitsOf(
  options: Omit<ListenerOptions<unknown>, 'auth' | 'onVerdict' | 'payload'>,
  { time, ...protocol }: Protocol,
): Limits {
  const usualTolerance = time?.toleranceSeconds ?? Infinity
  const { toleranceSeconds = usualTolerance, leaseSeconds = protocol.leaseSeconds ?? LEASE_SECONDS } = options
  const replayable = replayableSeconds(time?.of === 'event', toleranceSeconds)
  // Then a signed attempt time limits how long a captured delivery can be replayed.
  const isTimed = time?.of === 'attempt' && time.toleranceSeconds !== undefined
  const usualRetention = isTimed ? RETENTION_SECONDS : UNTIMED_RETENTION_SECONDS
  const {
    retentionSeconds = protocol.retentionSeconds === 'replay-window' ? replayable : usualRetention,
    maxRunSeconds = Math.max(protocol.maxRunSeconds ?? MAX_RUN_SECONDS, leaseSeconds),
  } = options
  const kept = toleranceSeconds > usualTolerance ? replayable : Math.min(replayable, replayWindowSeconds())
  const long = 'that long a delivery can be replayed'
  if (retentionSeconds < replayable)
    throw new ListenerConfigError('retentionSeconds', `must be at least ${replayable}: ${long}`)
  if ((options.store.replayWindowSeconds ?? Infinity) < kept)
    throw new ListenerConfigError('store', `its replayWindowSeconds must be at least ${kept}: ${long}`)
  if (maxRunSeconds < leaseSeconds)
    throw new ListenerConfigError('maxRunSeconds', `must be at least leaseSeconds, which is ${leaseSeconds}`)
  return {
    maxBodyBytes: options.maxBodyBytes ?? protocol.maxBodyBytes,
    toleranceSeconds,
    retentionMs: retentionSeconds * 1000,
    leaseMs: leaseSeconds * 1000,
    maxRunMs: maxRunSeconds * 1000,
  }
}

/** How long the same bytes keep passing the checks. If they pass forever, the replay window of hookgate's scheme. */
function replayableSeconds(ofEvent: boolean, toleranceSeconds: number): number {
  const shortest = replayWindowSeconds()
  if (!Number.isFinite(toleranceSeconds)) return shortest
  return ofEvent ? Math.max(toleranceSeconds, shortest) : replayWindowSeconds(toleranceSeconds)
}
