import type { CommitAnswer } from './event-store.ts'
import type { Json } from './lib/json.ts'
import type { Coverage } from './scheme/scheme.ts'

/** The claims of a verified token: those that section 5.2 requires, and whatever else the sender put in. */
export interface JwtClaims {
  /** The configured `subject`: the tenant base URL. */
  readonly sub: string
  /** The configured `audience`: the full webhook endpoint URL, alone or in an array of one. */
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

/** How the delivery was authenticated: which secret matched, or what the token said. */
export type EventAuth =
  | { readonly method: 'hmac'; readonly secretId: string }
  | { readonly method: 'jwt'; readonly keyId: string; readonly claims: JwtClaims }
  | {
      readonly method: 'scheme'
      /** The scheme's name: `stripe`. */
      readonly scheme: string
      /** The `id` of the secret or public key that matched. */
      readonly secretId: string
      /** What the signature vouches for. `token`: the sender showed a secret and signed nothing. */
      readonly covers: Coverage
    }

/** An event that passed every check and is now claimed: no other delivery of it will run while the lease lasts. */
export interface WebhookEvent<Payload = Json> {
  /**
   * `Webhook-Event-Id` in lower case. Of other senders' schemes the ID as the sender wrote it, or a UUIDv8 made of the signed
   * bytes where it sends none.
   */
  readonly id: string
  /** The sender's own name for what happened: `invoice.paid`. Undefined where its scheme has none. */
  readonly type?: string | undefined
  /** The `id` of the listener that accepted it. */
  readonly listenerId: string
  /** When the sender says it sent this. The time of arrival, in whole seconds, where it says nothing. */
  readonly sentAt: Date
  /** The parsed body, or what the `payload` schema made of it. */
  readonly payload: Payload
  /** The exact bytes of the body. */
  readonly rawBody: Uint8Array
  /** How the sender proved who it is: `secretId`, or `keyId` and the token's `claims`. */
  readonly auth: EventAuth
  /**
   * With other senders' schemes: the members of this event that nothing vouches for. Somebody who holds a captured delivery can
   * change them.
   */
  readonly unsigned?: readonly ('id' | 'type' | 'sentAt')[]
  /**
   * Marks the event as done: later deliveries are answered 409. With `settle: 'auto'` an adapter calls this when the
   * answer is 2xx, so a handler that wants an event gone for good, even a bad one, answers 2xx. A handler may also commit
   * by itself: no answer undoes that.
   *
   * @returns `lost` after a `release()`, or when the lease was over and another delivery took the event.
   * @throws EventStoreError when the store fails. You may call it again.
   */
  commit(): Promise<CommitAnswer>
  /**
   * Gives the event up: the next delivery of it runs at once. With `settle: 'auto'` an adapter calls this for a throw and
   * for every answer but 2xx, 408, 503 and 504. After those three the handler may still run, so the lease is left to lapse.
   *
   * @returns False when there was nothing left to give up.
   * @throws EventStoreError when the store fails. The lease lapses by itself.
   */
  release(): Promise<boolean>
}
