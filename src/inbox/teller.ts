import { CodedError, ERRORS_PAGE } from '../errors.ts'
import { callHook } from '../lib/hooks.ts'
import { isA } from '../lib/member-of.ts'
import type { Listener, VerdictContext } from '../listener.ts'
import { told } from '../told.ts'
import type { ToldState } from './run.ts'

/** What is known of a job whose error is told. */
export interface InboxErrorContext extends VerdictContext {
  /** The number of the attempt. Absent if the error is not about one job, e.g. because the database is away. */
  readonly attempt?: number
  /**
   * What becomes of the event: it runs again after a delay (`failed`), not again unless you call `again()` (`dead`), it goes on though
   * `drain()` returns (`running`), or another worker has it, or gets it when the lease ends (`lost`).
   */
  readonly state?: ToldState
}

export interface TellerOptions {
  readonly listener: Pick<Listener<unknown>, 'id' | 'onError'>
  readonly onError: ((error: unknown, context: InboxErrorContext) => unknown) | null | undefined
}

const WARN_MS = 60_000
/** How many different lines are written in that time. */
const MOST_LINES = 10

/** Tells errors to the hook; without one, on the console. */
export class Teller {
  readonly #options: TellerOptions
  /** When each line was written. */
  readonly #warnedAt = new Map<string, number>()

  constructor(options: TellerOptions) {
    this.#options = options
  }

  tell(error: unknown, about: Partial<InboxErrorContext> = {}): void {
    const { listener, onError } = this.#options
    const hook = onError === undefined ? listener.onError : onError
    if (hook) callHook(hook, error, { listenerId: listener.id, durationMs: 0, ...about })
    if (hook === undefined) this.#warn(error, about.state)
  }

  /** Each line at most once a minute. */
  #warn(error: unknown, state = 'away'): void {
    const code = isA(error, CodedError) ? error.code : 'ERR_INBOX'
    const line = `${state}, ${code}: ${told(error).replace(/\.$/, '')}`
    const now = performance.now()
    for (const [each, at] of this.#warnedAt) if (now - at >= WARN_MS) this.#warnedAt.delete(each)
    if (this.#warnedAt.has(line) || this.#warnedAt.size >= MOST_LINES) return
    this.#warnedAt.set(line, now)
    const text = `hookgate: inbox of listener ${JSON.stringify(this.#options.listener.id)}: ${line}. What to do: ${ERRORS_PAGE}${code.toLowerCase()} (set onError for the details, or null for silence)`
    callHook(() => console.warn(text)) // a replaced console may throw
  }
}
