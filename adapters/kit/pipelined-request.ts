import type { MaybePromise } from '../../src/lib/maybe-promise.ts'

/** Stored on the socket, because all `verifyWebhook()` calls of a server share its connections. */
const LAST: unique symbol = Symbol('hookgate')

/** The part of a socket that is used. */
export interface Connection {
  readonly writableEnded?: boolean
  [LAST]?: PipelinedRequest
}

/** Maximum number of waiting requests per connection. No webhook sender pipelines that many. */
const MOST_WAITING = 16

/**
 * One request on an HTTP/1 connection. With pipelining, an earlier response may close the connection, and the response to
 * this request is then lost.
 */
export class PipelinedRequest {
  /** Whether an earlier response closes the connection. A promise while undecided. */
  readonly isCutOff: MaybePromise<boolean>
  /** Shared by all requests of the connection. */
  readonly #line: { waiting: number }
  #closes: boolean | undefined
  #tellNext: (() => void) | undefined

  /** `response` has no socket while an earlier response has it. */
  constructor(connection: Connection, response: { readonly socket?: unknown }) {
    const earlier = connection[LAST]
    connection[LAST] = this
    this.#line = earlier === undefined ? { waiting: 0 } : earlier.#line
    this.isCutOff = connection.writableEnded === true || this.#isBehind(earlier, response)
  }

  /** Called before the response is written. `closes`: whether that closes the connection. */
  end(closes: boolean): void {
    this.#closes = closes
    this.#tellNext?.()
  }

  #isBehind(
    earlier: PipelinedRequest | undefined,
    response: { readonly socket?: unknown },
  ): MaybePromise<boolean> {
    if (earlier === undefined || earlier.#closes === false || response.socket !== null) return false
    if (earlier.#closes || this.#line.waiting >= MOST_WAITING) return true
    this.#line.waiting += 1
    return new Promise<boolean>((resolve) => {
      earlier.#tellNext = () => resolve(earlier.#closes === true)
    }).finally(() => {
      this.#line.waiting -= 1
    })
  }
}
