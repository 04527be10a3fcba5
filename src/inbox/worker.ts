import { CodedError, ERRORS_PAGE, EventStoreError } from '../errors.ts'
import { withDeadline } from '../lib/clock.ts'
import { callHook } from '../lib/hooks.ts'
import { isA } from '../lib/member-of.ts'
import { traced } from '../lib/tracing.ts'
import type { Listener, VerdictContext } from '../listener.ts'
import type { InboxFields } from '../report.ts'
import { asciiText } from '../stores/contract.ts'
import { keyText } from '../stores/postgres/statements.ts'
import { rowsOf } from './ask.ts'
import { INBOX, milliseconds } from './claims.ts'
import { InboxError } from './errors.ts'
import { type Job, type JobState, jobOf, RUNS_AGAIN, Run, type RunOptions, STATEMENT_MS } from './run.ts'

/** What is known of a job whose error is told. */
export interface InboxErrorContext extends VerdictContext {
  /** The number of the attempt. Absent if the error is not about one job, e.g. because the database is away. */
  readonly attempt?: number
  /**
   * What becomes of the event: it runs again after a delay (`failed`), not again unless you call `again()` (`dead`), or another worker
   * has it, or gets it when the lease ends (`lost`).
   */
  readonly state?: Exclude<JobState, 'done'>
}

/** A running worker. */
export interface InboxWorker {
  /**
   * Takes no more jobs, and resolves when those that run have ended, at the latest after `drainMs`: their signal is then aborted, and
   * they run again, in another process, when their lease ends.
   */
  stop(): Promise<void>
}

export interface WorkerOptions<Given extends Listener<unknown>> extends Omit<RunOptions<Given>, 'tell'> {
  readonly concurrency: number
  readonly pollMs: number
  readonly drainMs: number
  readonly random: () => number
  readonly onError: ((error: unknown, context: InboxErrorContext) => unknown) | null | undefined
}

const SWEEP_MS = 60_000
const LONGEST_PAUSE_MS = 30_000
const WARN_MS = 60_000

/** Takes due jobs of one listener, and runs them. */
export class Worker<Given extends Listener<unknown>> implements InboxWorker {
  readonly #options: WorkerOptions<Given>
  readonly #running = new Map<Run<Given>, Promise<unknown>>()
  readonly #looping: Promise<void>
  #isStopping = false
  /** `stop()` has resolved. */
  #isOver = false
  /** How often it was woken, so that a job which is put during a `take` is not overlooked. */
  #wakes = 0
  #wakeUp: () => void = () => {}
  #sweptAt = -Infinity
  #failures = 0
  #warnedAt = -Infinity

  constructor(options: WorkerOptions<Given>) {
    this.#options = options
    this.#looping = this.#loop()
  }

  wake(): void {
    this.#wakes += 1
    this.#wakeUp()
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.wake()
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, this.#options.drainMs)
    })
    const drained = this.#looping.then(() => Promise.all(this.#running.values()))
    await Promise.race([drained, late])
    clearTimeout(timer)
    this.#isOver = true
    for (const run of this.#running.keys())
      run.abandon(`the worker stops, but the handler still runs: ${RUNS_AGAIN}`)
  }

  async #loop(): Promise<void> {
    while (!this.#isStopping) {
      const free = this.#options.concurrency - this.#holding()
      const wakes = this.#wakes
      if (free === 0) {
        await this.#nextEnd()
        continue
      }
      try {
        const taken = await this.#take(free)
        await this.#sweep()
        this.#failures = 0
        if (taken < free && wakes === this.#wakes) await this.#pause(this.#options.pollMs)
      } catch (error) {
        await this.#outage(error)
      }
    }
  }

  /** How many runs hold their event. One that hangs has lost it by `maxRunMs`, and keeps no other event waiting from then on. */
  #holding(): number {
    return [...this.#running.keys()].filter((run) => !run.isLost).length
  }

  /** Starts the jobs that are due, and returns their number. */
  async #take(most: number): Promise<number> {
    const { leaseMs, listener, maxAttempts, statements } = this.#options
    const worker = asciiText(listener.nextOwner())
    const sentAt = performance.now()
    const rows = await this.#ask(statements.take, [
      worker,
      milliseconds(leaseMs),
      `${maxAttempts}`,
      `${most}`,
      await keyText(listener.id),
    ])
    if (this.#isOver) return 0 // their leases lapse
    for (const row of rows) {
      const job = jobOf(row, worker)
      if (job.isDead) this.#died(job)
      else this.#start(job, sentAt + leaseMs)
    }
    return rows.length
  }

  #start(job: Job, heldUntil: number): void {
    const run = new Run({ ...this.#options, tell: this.#tellOf }, job, heldUntil)
    const running = this.#traced(job, () => run.attempt()).finally(() => {
      this.#running.delete(run)
      this.#wakeUp()
    })
    this.#running.set(run, running)
  }

  #died(job: Job): void {
    const error = new InboxError(
      'each attempt at this event ended without a result: its process died, or lost its lease',
    )
    void this.#traced(job, async () => {
      this.#tellOf(error, job, 'dead')
      return 'dead'
    })
  }

  #traced(job: Job, work: () => Promise<JobState>): Promise<JobState> {
    const { attempt, waitedMs } = job
    const listenerId = this.#options.listener.id
    const describe = (answer?: JobState): InboxFields => ({
      ...{ listenerId, verb: 'run', answer, attempt, waitedMs },
    })
    return traced(INBOX, work, describe)
  }

  /** Deletes what need not be remembered any more. */
  async #sweep(): Promise<void> {
    if (performance.now() - this.#sweptAt < SWEEP_MS) return
    this.#sweptAt = performance.now()
    await this.#ask(this.#options.statements.sweep, [])
  }

  #ask(statement: string, values: readonly string[]) {
    const late = () => new EventStoreError(`the inbox got no answer within ${STATEMENT_MS} ms`)
    return withDeadline(rowsOf(this.#options.run, statement, values), STATEMENT_MS, late)
  }

  /** Resolves when a run ends or loses its event, or when the worker stops. */
  #nextEnd(): Promise<void> {
    return this.#pause(LONGEST_PAUSE_MS)
  }

  /** Ends early when a job is put in this process, when a run ends, and when the worker stops. */
  async #pause(milliseconds: number): Promise<void> {
    if (this.#isStopping) return
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds)
      this.#wakeUp = resolve
    })
    clearTimeout(timer)
  }

  /** Told once, at its beginning. */
  async #outage(error: unknown): Promise<void> {
    if (this.#failures === 0) this.#tell(error, {})
    this.#failures += 1
    const { pollMs, random } = this.#options
    const longest = Math.min(pollMs * 2 ** this.#failures, LONGEST_PAUSE_MS)
    await this.#pause(longest * (0.5 + random() / 2))
  }

  readonly #tellOf = (error: unknown, { eventId, attempt }: Job, state: JobState): void => {
    this.#tell(error, { eventId, attempt, ...(state !== 'done' && { state }) })
    if (state === 'lost') this.#wakeUp() // its place is free
  }

  #tell(error: unknown, about: Omit<InboxErrorContext, 'listenerId' | 'durationMs'>): void {
    const { listener, onError } = this.#options
    const told = onError === undefined ? listener.onError : onError
    if (told) callHook(told, error, { listenerId: listener.id, durationMs: 0, ...about })
    if (told === undefined) this.#warn(error, about.state)
  }

  /** Only the code: messages may quote strangers. At most once a minute. */
  #warn(error: unknown, state = 'away'): void {
    if (performance.now() - this.#warnedAt < WARN_MS) return
    this.#warnedAt = performance.now()
    const code = isA(error, CodedError) ? error.code : 'ERR_INBOX'
    const text = `hookgate: inbox of listener ${JSON.stringify(this.#options.listener.id)}: ${state}, ${code}. What to do: ${ERRORS_PAGE}${code.toLowerCase()} (set onError for the details, or null for silence)`
    callHook(() => console.warn(text)) // a replaced console may throw
  }
}
