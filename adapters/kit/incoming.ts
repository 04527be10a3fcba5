import type { MaybePromise } from '../../src/lib/maybe-promise.ts'
import type { BodyInFlight, Leaving } from './bodies-in-flight.ts'
import type { Turn } from './turn.ts'

/** Explains a wrong method where `verifyWebhook` guards more than a route. */
export const GUARDS_MORE =
  "; verifyWebhook also guards other routes here: mount it on the webhook's route only"

/** A request before its body is read. */
export interface Incoming extends Leaving {
  readonly method: string
  readonly url?: string | undefined
  /** Follows the detail of a wrong method. */
  readonly where?: string | undefined
  readonly header: (name: string) => string | readonly string[] | undefined
  /** Set if the adapter sees the connection, and if it is HTTP/1. */
  readonly turn?: Turn | undefined
  /**
   * Reads the exact bytes, at most `limit` + 1 of them, and counts them as they arrive. Rejects with BodyIncompleteError if they
   * do not arrive in time, and with OverloadError if other bodies need the room.
   */
  readBody(limit: number, timeoutMs: number, inFlight: BodyInFlight): MaybePromise<Uint8Array>
}
