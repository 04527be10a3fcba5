import type { EventAuth, WebhookEvent } from '../event.ts'
import { encodeBase64 } from '../lib/bytes.ts'

/** How the delivery was authenticated, without the claims of a token. */
export type EnvelopeAuth =
  | Exclude<EventAuth, { readonly method: 'jwt' }>
  | { readonly method: 'jwt'; readonly keyId: string }

/** A verified event as plain JSON. Contains no token, signature or secret. */
export interface Envelope {
  /** The version of this layout. */
  readonly v: 1
  /** `event.id`. */
  readonly id: string
  /** `event.type`. Left out if the event has none. */
  readonly type?: string
  /** `event.listenerId`. */
  readonly listenerId: string
  /** `event.sentAt` in RFC 3339. */
  readonly sentAt: string
  /** `event.auth`, without the claims of a token. */
  readonly auth: EnvelopeAuth
  /** `event.unsigned`. Left out if the event has none. */
  readonly unsigned?: readonly ('id' | 'type' | 'sentAt')[]
  /** The exact bytes of the body, in padded base64, a third longer than the body. */
  readonly bodyBase64: string
}

/**
 * Packs a verified event for a queue. Leaves out the payload: parse it again from the bytes, which stay
 * exactly as signed. Does not encrypt the body, so anyone who can read the queue can read it.
 *
 * @example
 * ```ts
 * await queue.add('webhook', toEnvelope(event), { jobId: jobId(event) })
 * ```
 */
export function toEnvelope(event: WebhookEvent<unknown>): Envelope {
  const { id, type, listenerId, sentAt, auth, unsigned, rawBody } = event
  return {
    v: 1,
    id,
    ...(type !== undefined && { type }),
    listenerId,
    sentAt: sentAt.toISOString(),
    auth: withoutClaims(auth),
    ...(unsigned !== undefined && { unsigned }),
    bodyBase64: encodeBase64(rawBody),
  }
}

function withoutClaims(auth: EventAuth): EnvelopeAuth {
  switch (auth.method) {
    case 'hmac':
      return { method: 'hmac', secretId: auth.secretId }
    case 'jwt':
      return { method: 'jwt', keyId: auth.keyId }
    case 'scheme':
      return { method: 'scheme', scheme: auth.scheme, secretId: auth.secretId, covers: auth.covers }
    case 'api':
      return { method: 'api', scheme: auth.scheme }
  }
}
