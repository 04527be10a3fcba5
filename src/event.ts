import type { CommitAnswer } from './event-store.ts'
import type { Json } from './lib/json.ts'
import type { Coverage } from './scheme.ts'
import type { Named } from './typed-events.ts'

/**
 * The claims of a verified token: those that
 * [hookgate's scheme](https://github.com/hookgate/hookgate/blob/main/docs/specification.md#jwt) requires, and any others
 * that the sender added.
 */
export interface JwtClaims {
  /** The configured `subject`: the tenant base URL. */
  readonly sub: string
  /** The configured `audience`: the full webhook endpoint URL, as a string or an array of one. */
  readonly aud: string | readonly string[]
  /** Expiry, in seconds since 1970. May be fractional. */
  readonly exp: number
  /** The event ID, in the letter case of the token. */
  readonly jti: string
  /** The HTTP method. */
  readonly htm: 'POST'
  /** The SHA-256 of the raw body, as base64url without padding. */
  readonly htb_s256: string
  readonly [claim: string]: unknown
}

/**
 * How the delivery was authenticated: the secret that matched, or the token's claims.
 *
 * @example
 * ```ts
 * if (event.auth.method === 'hmac') console.log(event.auth.secretId)
 * ```
 */
export type EventAuth =
  | { readonly method: 'hmac'; readonly secretId: string }
  | { readonly method: 'jwt'; readonly keyId: string; readonly claims: JwtClaims }
  | {
      readonly method: 'scheme'
      /** The scheme's name, e.g. `stripe`. */
      readonly scheme: string
      /** The `id` of the secret or public key that matched. */
      readonly secretId: string
      /** What the signature covers. `token`: the sender presented a secret and signed nothing. */
      readonly covers: Coverage
    }
  | {
      /** Nobody signed it: `recover` of `hookgate/management` asked the sender's API for it. */
      readonly method: 'api'
      /** The name of the sender's scheme, e.g. `stripe`. */
      readonly scheme: string
    }

/**
 * A verified and claimed event. No other delivery of it runs during the lease.
 *
 * If the listener's scheme was given a type, e.g. `stripe<Stripe.Event>(…)`, this is a union, in which `event.type` narrows
 * `event.payload`. The type is what the sender promises: only a `payload` schema is checked when a delivery arrives.
 *
 * A function that takes the events of such a listener declares `EventOf<typeof listener>`, or `WebhookEvent<unknown>` for any.
 *
 * @example
 * ```ts
 * async function handle(event: WebhookEvent) {
 *   await saveOrder(event.id, event.payload)
 * }
 * ```
 */
export type WebhookEvent<Payload = Json> =
  | TypedEvent<Extract<Payload, Named<string | undefined, unknown>>>
  | PlainEvent<Payload>

/** One event for each name, so that `type` narrows `payload`. */
type TypedEvent<Event> =
  Event extends Named<infer Type, infer Payload>
    ? ClaimedEvent<Payload> &
        (Type extends undefined
          ? {
              /** The sender gives it no name. */
              readonly type?: undefined
            }
          : {
              /** The sender's name for what happened, e.g. `invoice.paid`. */
              readonly type: Type
            })
    : never

/** An event whose type says nothing about its payload. Does not distribute over `Json`. */
type PlainEvent<Payload> = [Extract<Payload, Named<string | undefined, unknown>>] extends [never]
  ? UntypedEvent<Payload>
  : [Exclude<Payload, Named<string | undefined, unknown>>] extends [never]
    ? never
    : UntypedEvent<Exclude<Payload, Named<string | undefined, unknown>>>

/** An event of a listener without types. */
export interface UntypedEvent<Payload = Json> extends ClaimedEvent<Payload> {
  /** The sender's name for what happened, e.g. `invoice.paid`. Undefined if its scheme has none. */
  readonly type?: string | undefined
}

/** What every verified and claimed event has. */
export interface ClaimedEvent<Payload = Json> {
  /**
   * The event's ID. In hookgate's scheme: `Webhook-Event-Id` in lower case. In other schemes: the sender's ID, unchanged, or
   * a UUIDv8 derived from the signed bytes if the sender sends none.
   */
  readonly id: string
  /** The `id` of the listener that accepted it. */
  readonly listenerId: string
  /** When the sender says it sent this. If it does not say, the time of arrival in whole seconds. */
  readonly sentAt: Date
  /** The parsed body, or the output of the `payload` schema. */
  readonly payload: Payload
  /** The exact bytes of the body, or of the query if a sender's scheme takes GET. */
  readonly rawBody: Uint8Array
  /** How the sender was authenticated: `secretId`, or `keyId` and the token's `claims`. */
  readonly auth: EventAuth
  /**
   * The members of this event that the signature does not cover, for other senders' schemes. An attacker with
   * a captured delivery can change them.
   */
  readonly unsigned?: readonly ('id' | 'type' | 'sentAt')[]
  /**
   * Marks the event as done, so that later deliveries are duplicates. With `settle: 'auto'`, the adapter calls this when you
   * respond with 2xx. To drop a bad event for good, respond with 2xx. You may also commit yourself; no response undoes it.
   * Waits for an earlier call of `commit()` or `release()`.
   *
   * With `tx`, as the last statement of your own open transaction, the event is done when that transaction commits: what you wrote in it
   * takes effect exactly once. If another delivery has run the event by then, or runs it, your transaction fails. Answer 2xx only after
   * its COMMIT. If you do so though it was rolled back, the event is released, and `onError` is told.
   *
   * @param tx What the store takes as its client, or an executor of your ORM, which runs statements in the transaction.
   * @returns `lost` after a `release()`, or if the lease expired and another delivery claimed the event.
   * @throws EventStoreError if the store fails. Without `tx`, you may call it again. With `tx`: LeaseLostError if the event is no longer
   * yours; ListenerConfigError for a store that cannot join transactions, for a client without one, and in a savepoint.
   */
  commit(...tx: [] | [tx: object]): Promise<CommitAnswer>
  /**
   * Gives the event up, so that its next delivery runs at once. With `settle: 'auto'`, the adapter calls this if the handler
   * throws, and for every status but 2xx, 408, 503 and 504. After the last three the handler may still be running, so the
   * lease expires by itself.
   *
   * @returns False if there was nothing to release.
   * @throws EventStoreError if the store fails. The lease expires by itself.
   */
  release(): Promise<boolean>
  /**
   * Aborted when this handler may no longer be the only one: its lease was lost, or it ran longer than `maxRunSeconds`. The reason is
   * a `LeaseLostError`. Not aborted because the sender hangs up: the handler's work counts all the same.
   * A getter: `{ ...event }` leaves it out.
   */
  readonly signal: AbortSignal
}

/**
 * A schema of zod, valibot, arktype or another library that implements Standard Schema (standardschema.dev). Only the part
 * that hookgate uses.
 *
 * @example
 * ```ts
 * import { z } from 'zod'
 *
 * const payload: PayloadSchema<{ total: number }> = z.object({ total: z.number() })
 * ```
 */
export interface PayloadSchema<Output = unknown> {
  /** The property that Standard Schema defines. */
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
  }
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}
