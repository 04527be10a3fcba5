import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Reply } from '../reply.ts'
import type { SchemeOptions } from './scheme-options.ts'
import type { SignedRequest } from './signed-request.ts'

/**
 * What a handshake's `answer` may read.
 *
 * @see {@link textReply}
 */
export interface HandshakeRequest extends SignedRequest {
  /** A query parameter. Undefined if absent or repeated. */
  readonly query: (name: string) => string | undefined
  /** The name of the secret that signed the handshake. Undefined if it is not signed. */
  readonly secretId: string | undefined
}

/**
 * Answers requests that check whether the endpoint exists, or who owns it. They never reach a handler.
 *
 * @see {@link textReply}
 */
export interface Handshake {
  /**
   * Whether the sender signs the handshake. Signed ones are answered after authentication, others after the size and
   * the source address are checked.
   */
  readonly signed: boolean
  /** Returns the reply. Undefined if the request is not a handshake. */
  answer(request: HandshakeRequest, options: SchemeOptions): MaybePromise<Reply | undefined>
}
