import { EventStoreError } from '../errors.ts'
import { memberOf } from '../lib/member-of.ts'
import { nextTurn } from '../lib/timers.ts'
import { traced } from '../lib/tracing.ts'
import type { Listener } from '../listener.ts'
import type { InboxFields } from '../report.ts'
import { asciiText, undisturbed } from '../stores/contract.ts'
import { DEADLOCK_DETECTED, hasSqlState, UNIQUE_VIOLATION } from '../stores/postgres/client.ts'
import { keyText, milliseconds } from '../stores/postgres/statements.ts'
import { type Asking, recordOf, recordsOf } from './ask.ts'
import { INBOX } from './claims.ts'
import { InboxError } from './errors.ts'
import { inTime, Records } from './records.ts'
import { type Job, type JobState, jobOf, Run, type RunOptions } from './run.ts'
import type { Teller } from './teller.ts'

export interface CrewOptions<Given extends Listener<unknown>>
  extends Asking,
    Omit<RunOptions<Given>, 'records' | 'statements' | 'tell' | 'onHandled'> {
  readonly concurrency: number
  readonly teller: Teller
  /** Called when another job may start: a handler has ended, or its run has lost its event. */
  readonly onPlace: () => unknown
  /** Called when what became of a job is recorded, or never will be. */
  readonly onSettled: (state: JobState, hasKey: boolean) => void
  /** Whether there is time for what the database has handed out: otherwise, it is given back. Defaults to always. */
  readonly hasTime?: () => boolean
}

/** Handlers that take so many times as long as a `take` are quick: what is taken ahead does not wait for long. */
const QUICK = 10
/** The index that keeps two jobs of a key from running at once has refused one of them, because another worker took one meanwhile. */
const isTakenBeside = (error: unknown) =>
  hasSqlState(error, UNIQUE_VIOLATION) || hasSqlState(error, DEADLOCK_DETECTED) // of two workers, twice

const TOO_LATE =
  'the worker had stopped before the database handed out the event: it runs when its lease ends'

/** Takes due jobs of one listener and runs them, when a worker or a drain asks it to. */
export class Crew<Given extends Listener<unknown>> {
  readonly #options: CrewOptions<Given>
  readonly #runOptions: RunOptions<Given>
  readonly #records: Records
  readonly #running = new Map<Run<Given>, Promise<unknown>>()
  /** Those that are taken, and have to wait for a place. */
  #ahead: Run<Given>[] = []
  /** How many handlers have ended since the last `take` was sent that took not much longer than it: as many more it may take ahead. */
  #quick = 0
  #tookMs = 0
  #telling: Promise<void> | undefined
  /** The last `take`. */
  #taking: Promise<unknown> = Promise.resolve()
  #givingBack: Promise<unknown> = Promise.resolve()
  /** Whether there are jobs with keys, as far as is known: until then, takes need not look for them. */
  #inOrder = false
  #isEnding = false
  #isClosed = false

  constructor(options: CrewOptions<Given>) {
    const { run, statements, listener, leaseMs } = options
    const onHandled = (durationMs: number) => {
      if (durationMs < QUICK * this.#tookMs) this.#quick += 1
      this.#freed()
    }
    this.#options = options
    const onRenewal = () => {
      for (const held of [...this.runs, ...this.#ahead]) held.renewAlong()
    }
    this.#records = new Records({ run, statements, listenerId: listener.id, leaseMs, onRenewal })
    this.#runOptions = { ...options, records: this.#records, tell: this.#tell, onHandled }
  }

  /**
   * How many jobs may be taken now. The place of a handler is free when it has ended: what became of its job is recorded meanwhile, but not of
   * much more jobs than run. A run that hangs has lost its event by `maxRunMs`, and keeps no other one waiting from then on.
   */
  get places(): number {
    const { concurrency } = this.#options
    const unrecorded = this.runs.filter(({ isAtWork, isLost }) => !isAtWork && !isLost)
    if (unrecorded.length > 2 * concurrency) return 0
    return this.#free + Math.max(0, Math.min(this.#quick - 1, concurrency) - this.#ahead.length)
  }

  /** How many jobs may start now. */
  get #free(): number {
    return this.#options.concurrency - this.runs.filter(({ isAtWork }) => isAtWork).length
  }

  /** Whether it has nothing to do, and no job is known to wait for another one. */
  get isIdle(): boolean {
    return this.#running.size === 0 && !this.#inOrder
  }

  /** Those that are not settled. */
  get runs(): readonly Run<Given>[] {
    return [...this.#running.keys()]
  }

  /** Resolves when what became of all that run now is recorded, or never will be, and what has not started, or is being taken, is given back. */
  async settled(): Promise<void> {
    await this.#taking
    while (this.#running.size > 0) await Promise.all(this.#running.values())
    await this.#givingBack
  }

  /** Gives back what has not started. Nothing is taken ahead from now on. */
  async wind(): Promise<void> {
    this.#isEnding = true
    await this.#giveBackAhead()
  }

  /** From now on, nothing starts. */
  close(): void {
    this.#isClosed = true
  }

  /**
   * Takes jobs that are due, starts as many as there is room for, and returns how many the database handed out, or `most` if it has to look at
   * more of them. Fewer than `most`: there are no others, but perhaps some whose process died.
   *
   * @param put The key of a job that was just put: if it is still due, it alone is taken, by a shorter statement.
   */
  take(most: number, put?: string): Promise<number> {
    const taking = this.#take(most, put)
    this.#taking = taking.catch(() => {}) // told by the caller
    return taking
  }

  async #take(most: number, put: string | undefined): Promise<number> {
    const { hasTime, leaseMs, listener, maxAttempts, run, statements } = this.#options
    const worker = asciiText(listener.nextOwner())
    const sentAt = performance.now()
    const starts = Math.min(most, this.#free)
    const mostNow = this.#isEnding ? starts : most
    this.#quick = 0
    const mayStartSuspect = !this.runs.some(({ isAtWork, job }) => isAtWork && job.suspect)
    const [lease, listenerId] = [milliseconds(leaseMs), await keyText(listener.id)]
    const values = [
      ...[worker, lease, `${maxAttempts}`, `${mostNow}`, listenerId],
      ...[`${starts}`, `${mayStartSuspect}`],
    ]
    const statement = this.#inOrder ? statements.takeInOrder : statements.take
    const ask = async () => {
      const alone = put && (await recordOf(run, statements.takePut, [worker, lease, put, listenerId]))
      return alone ? [alone] : recordsOf(run, statement, values)
    }
    let hasMore = false
    const handingOut = undisturbed(ask, isTakenBeside).then((found) => {
      const taken = found.filter((record) => memberOf(record, 'more') !== true)
      hasMore = taken.length < found.length
      this.#inOrder ||= hasMore
      return taken.map((record) => jobOf(record, worker))
    })
    const jobs = await inTime(handingOut).catch((error: unknown) => {
      handingOut.then((late) => this.#giveBack(this.#liveOf(late))).catch(() => {}) // if the answer still comes
      throw error
    })
    const live = this.#liveOf(jobs)
    if (this.#isClosed) {
      const isGivenBack = await this.#giveBack(live)
      if (!isGivenBack) for (const job of live) this.#tell(new InboxError(TOO_LATE), job, 'lost', 0)
      return 0
    }
    const tookMs = performance.now() - sentAt
    if (live.length > 0 && tookMs > leaseMs) {
      await this.#giveBack(live)
      throw lateAnswer(tookMs, leaseMs)
    }
    if (hasTime?.() === false) {
      await this.#giveBack(live)
      return 0
    }
    this.#tookMs = tookMs
    for (const job of live) {
      const run = new Run(this.#runOptions, job, sentAt + leaseMs)
      if (job.fate === 'taken') this.#start(run)
      else this.#ahead.push(run)
    }
    if (this.#isEnding) await this.#giveBackAhead()
    this.#startAhead() // handlers have ended meanwhile
    return hasMore ? most : jobs.length
  }

  #startAhead(): void {
    if (this.#ahead.length > 0 && this.#options.hasTime?.() === false) void this.wind()
    while (this.#free > 0 && !this.#isClosed) {
      const run = this.#ahead.shift()
      if (run === undefined) return
      if (!run.isLost) this.#start(run)
    }
  }

  async #giveBackAhead(): Promise<void> {
    const ahead = this.#ahead
    this.#ahead = []
    const givingBack = this.#records.giveBack(ahead.map((run) => run.drop()))
    this.#givingBack = Promise.all([this.#givingBack, givingBack])
    await givingBack
  }

  /** Tells of the dead ones, and returns those that may start. */
  #liveOf(jobs: readonly Job[]): readonly Job[] {
    for (const job of jobs) if (job.fate === 'dead') this.#died(job)
    return jobs.filter(({ fate }) => fate === 'taken' || fate === 'ahead')
  }

  #giveBack(jobs: readonly Job[]): Promise<boolean> {
    return this.#records.giveBack(
      jobs.map(({ key, owner, worker, suspect }) => ({ key, owner, worker, suspect })),
    )
  }

  #start(run: Run<Given>): void {
    const running = this.#traced(run.job, run.waitedMs, () => run.attempt()).then((state) => {
      this.#running.delete(run)
      this.#options.onSettled(state, run.job.hasKey)
    })
    this.#running.set(run, running)
  }

  #died(job: Job): void {
    const error = new InboxError(
      'each attempt at this event ended without a result: its process died, or lost its lease',
    )
    void this.#traced(job, job.waitedMs, async () => {
      this.#tell(error, job, 'dead', 0)
      return 'dead'
    }).then((state) => this.#options.onSettled(state, job.hasKey))
  }

  #traced({ attempt }: Job, waitedMs: number, work: () => Promise<JobState>): Promise<JobState> {
    const listenerId = this.#options.listener.id
    const describe = (answer?: JobState): InboxFields => ({
      ...{ listenerId, verb: 'run', answer, attempt, waitedMs },
    })
    return traced(INBOX, work, describe)
  }

  readonly #tell: RunOptions<Given>['tell'] = (error, { eventId, attempt }, state, durationMs) => {
    this.#options.teller.tell(error, { eventId, attempt, durationMs, state })
    if (state === 'lost') this.#freed()
  }

  /** Starts what waits for a place. Tells once of all that are free in one turn, so that one `take` fills them. */
  #freed(): void {
    this.#startAhead()
    this.#telling ??= nextTurn().then(() => {
      this.#telling = undefined
      this.#options.onPlace()
    })
  }
}

/** Another worker may have the jobs by now. */
function lateAnswer(tookMs: number, leaseMs: number): EventStoreError {
  return new EventStoreError(
    `the inbox handed out jobs after ${Math.round(tookMs)} ms, when their lease of ${leaseMs} ms had ended: they run later, as the same attempt. Set leaseMs to more than the database may take`,
  )
}
