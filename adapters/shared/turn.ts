import type { MaybePromise } from '../../src/lib/maybe-promise.ts'

/** On a socket, because all `verifyWebhook()` calls of a server share its connections. */
const LAST: unique symbol = Symbol('hookgate')

/** The part of a socket that is looked at here. */
export interface Connection {
  readonly writableEnded?: boolean
  [LAST]?: Turn
}

/** How many requests of one connection may wait at once. No sender of webhooks writes that many ahead. */
const MOST_WAITING = 16

/**
 * One request on an HTTP/1 connection. Its sender may have written it behind another (pipelining): when the reply to
 * that one closes the connection, nobody hears the reply to this.
 */
export class Turn {
  /** Whether an earlier reply closes the connection. A promise while that is not decided. */
  readonly isCutOff: MaybePromise<boolean>
  /** Shared by all requests of a connection. */
  readonly #line: { waiting: number }
  #closes: boolean | undefined
  #work: Promise<unknown> | undefined
  #tellNext: (() => void) | undefined

  /** `response` has no socket as long as an earlier response has it. */
  constructor(connection: Connection, response: { readonly socket?: unknown }) {
    const earlier = connection[LAST]
    connection[LAST] = this
    this.#line = earlier === undefined ? { waiting: 0 } : earlier.#line
    this.isCutOff = connection.writableEnded === true || this.#isBehind(earlier, response)
  }

  /** The receiver's work on this request: should that fail, it leaves the connection open. */
  begin(work: Promise<unknown>): void {
    this.#work = work
  }

  /** Called with the verdict, before its reply is written. */
  end(closes: boolean): void {
    this.#closes = closes
    this.#work = undefined
    this.#tellNext?.()
  }

  #isBehind(earlier: Turn | undefined, response: { readonly socket?: unknown }): MaybePromise<boolean> {
    if (earlier === undefined || earlier.#closes === false || response.socket !== null) return false
    if (earlier.#closes || this.#line.waiting >= MOST_WAITING) return true
    this.#line.waiting += 1
    return new Promise<boolean>((resolve) => {
      const tell = () => resolve(earlier.#closes === true)
      earlier.#tellNext = tell
      earlier.#work?.then(tell, tell)
    }).finally(() => {
      this.#line.waiting -= 1
    })
  }
}
