import type { EventStore } from '../event-store.ts'
import { callHook } from '../lib/hooks.ts'
import { afterwards } from '../lib/timers.ts'
import type { VerdictContext } from '../listener.ts'
import { NONE } from '../stores/answer.ts'
import { keyText } from '../stores/postgres/statements.ts'
import { type Asking, answerOf } from './ask.ts'
import { InboxError } from './errors.ts'

/** Without a hook, on the console. */
export function tell(
  listener: Told | undefined,
  error: InboxError,
  about: Pick<VerdictContext, 'listenerId' | 'eventId'>,
): void {
  const { onError } = listener ?? {}
  if (onError === undefined) callHook(() => console.warn(`hookgate: ${error.message}`)) // a replaced console may throw
  callHook(onError, error, { ...about, durationMs: 0 })
}

const LOOK_MS = 60_000
/** Between two looks at the job that is due first: a worker takes it meanwhile, if there is one. */
const PAUSE_MS = 1000
const MOST_LISTENERS = 1000

/** Who is told: the listener that accepted the event. */
export type Told = NonNullable<Parameters<NonNullable<EventStore['accepted']>>[3]>

interface UnaskedOptions extends Asking {
  /** Whether this process has a worker for the listener. */
  readonly isWorked: (listenerId: string) => boolean
}

/**
 * Tells once of a listener whose jobs nobody asks for: no worker runs, or only those of another `id`. Looks a minute after a put. As a
 * process may not live for so long, or stand still meanwhile, its first put looks, too, and then one a minute.
 */
export class UnaskedJobs {
  readonly #options: UnaskedOptions
  /** Those that were told, or need not be. */
  readonly #told = new Set<string>()
  readonly #lookedAt = new Map<string, number>()
  readonly #putAt = new Map<string, number>()
  /** Those whose events were put since the last look. */
  readonly #due = new Map<string, Told>()

  constructor(options: UnaskedOptions) {
    this.#options = options
  }

  /** Whether the next put shall look, for which it takes longer. */
  isTimeFor(listenerId: string): boolean {
    if (this.#isNeedless(listenerId)) return false
    return isFirstInAMinute(this.#putAt, listenerId)
  }

  /** @param isUnasked Whether that put has found a job that has been due for a minute. */
  onPut(listener: Told, isUnasked: boolean): void {
    if (this.#isNeedless(listener.id)) return
    if (isUnasked) void this.#look(listener)
    if (this.#due.size === 0) {
      afterwards(LOOK_MS + PAUSE_MS, () => {
        for (const due of this.#due.values()) void this.#look(due)
        this.#due.clear()
      })
    }
    if (this.#due.size < MOST_LISTENERS) this.#due.set(listener.id, listener)
  }

  /** Drains ask for the jobs of the listener, now and then: nobody is told. */
  onDrain(listenerId: string): void {
    this.#due.delete(listenerId)
    this.#remember(listenerId)
  }

  async #look(listener: Told): Promise<void> {
    const { id } = listener
    if (!isFirstInAMinute(this.#lookedAt, id)) return
    try {
      const first = await this.#first(id)
      if (first === NONE) return
      await new Promise<void>((resolve) => void afterwards(PAUSE_MS, resolve))
      if ((await this.#first(id)) === first) this.#tell(listener)
    } catch {} // the `put` hears that the database is away
  }

  async #first(listenerId: string): Promise<string> {
    const { run, statements } = this.#options
    return answerOf(run, statements.unasked, [await keyText(listenerId)])
  }

  #isNeedless(listenerId: string): boolean {
    return this.#told.has(listenerId) || this.#options.isWorked(listenerId)
  }

  #tell(listener: Told): void {
    const { id } = listener
    if (this.#told.has(id)) return
    this.#remember(id)
    const error = new InboxError(
      `no worker of the listener ${JSON.stringify(id)} has asked for its events for a minute: call box.work() with that listener in a process that runs, or box.drain() each minute`,
    )
    tell(listener, error, { listenerId: id })
  }

  #remember(id: string): void {
    if (this.#told.size >= MOST_LISTENERS) this.#told.clear()
    this.#told.add(id)
  }
}

function isFirstInAMinute(times: Map<string, number>, listenerId: string): boolean {
  const now = performance.now()
  if (now - (times.get(listenerId) ?? -Infinity) < LOOK_MS) return false
  if (times.size >= MOST_LISTENERS) times.clear()
  times.set(listenerId, now)
  return true
}
