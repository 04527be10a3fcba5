import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Reply } from '../reply.ts'
import type { SchemeOptions } from './scheme.ts'
import type { SignedRequest } from './signed-request.ts'

/** What a handshake is answered from. */
export interface HandshakeRequest extends SignedRequest {
  /** A member of the query, where it came once. */
  readonly query: (name: string) => string | undefined
}

/** A request that asks whether the endpoint is there, or who owns it. It never reaches a handler. */
export interface Handshake {
  /** Whether the sender signs it. Then it is answered after authentication, otherwise before anything else is asked. */
  readonly signed: boolean
  /** Undefined for a request that is no handshake. */
  answer(request: HandshakeRequest, options: SchemeOptions): MaybePromise<Reply | undefined>
}
