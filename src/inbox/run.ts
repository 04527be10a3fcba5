import { LeaseLostError, ListenerConfigError } from '../errors.ts'
import { isA, memberOf, textOf } from '../lib/member-of.ts'
import { afterwards, unlessAnswered } from '../lib/timers.ts'
import type { Listener } from '../listener.ts'
import { NONE } from '../stores/answer.ts'
import { asciiText, knownAnswer } from '../stores/contract.ts'
import type { PostgresClient } from '../stores/postgres/client.ts'
import { doneInside } from '../stores/postgres/inside.ts'
import { milliseconds } from '../stores/postgres/statements.ts'
import { textsOf } from './ask.ts'
import { InboxError } from './errors.ts'
import { type Attempt, type End, LOCKED, type Records } from './records.ts'
import type { Statements } from './statements.ts'
import { type JobEvent, readAgain } from './stored-event.ts'

/** What a handler gets besides the event. */
export interface InboxRun {
  /** The number of this attempt, from 1 on. */
  readonly attempt: number
  /**
   * Marks the event as done in your transaction, as its last statement: what you wrote there then takes effect exactly once. Without it,
   * the event is marked when the handler resolves, and what it wrote may be repeated after a crash in between.
   *
   * @param tx The client of your open transaction.
   * @throws InboxError if another run was faster, which also makes your transaction fail. ListenerConfigError if `tx` is in no transaction,
   * or in a savepoint.
   */
  done(tx: PostgresClient): Promise<void>
}

/** Handles one event. Resolve if it is done; throw or reject to run it again later. */
export type InboxHandler<Given extends Listener<unknown>> = (event: JobEvent<Given>, run: InboxRun) => unknown

/** A record of `take`. */
export interface Job extends Attempt {
  readonly listener: string
  readonly eventId: string
  /**
   * Whether it starts at once, as an attempt that is counted, or has to wait for its place. No attempt is left of a `dead` one, and those
   * `put off` wait for another suspect.
   */
  readonly fate: (typeof FATES)[number]
  readonly attempt: number
  /** Whether others may wait for its end. */
  readonly hasKey: boolean
  readonly waitedMs: number
  readonly envelope: string
}

const FATES = ['taken', 'ahead', 'dead', 'put off'] as const

/** @throws EventStoreError if the client has changed the record. */
export function jobOf(record: unknown, worker: string): Job {
  const text = textsOf(record)
  return {
    ...{ key: text('key'), listener: text('listenerId'), owner: text('owner'), worker },
    suspect: memberOf(record, 'suspect') === true,
    eventId: text('id').replace(/\\u([0-9a-f]{4})/g, (_, unit) =>
      String.fromCharCode(Number.parseInt(unit, 16)),
    ), // as `asciiText` wrote it
    fate: knownAnswer('Postgres', FATES, text('fate')),
    attempt: Number(memberOf(record, 'attempts')),
    hasKey: memberOf(record, 'hasKey') === true,
    waitedMs: Number(memberOf(record, 'waitedMs')),
    envelope: text('envelope'),
  }
}

export interface RunOptions<Given extends Listener<unknown>> {
  readonly records: Records
  readonly statements: Pick<Statements, 'doneInTransaction'>
  readonly listener: Given
  readonly handler: InboxHandler<Given>
  readonly leaseMs: number
  readonly retentionMs: number
  readonly maxAttempts: number
  readonly maxRunMs: number
  readonly delayMs: (attempt: number) => number
  /** Tells an error of this job. */
  readonly tell: (error: unknown, job: Job, state: ToldState, durationMs: number) => void
  /** Called when the handler has ended, before that is recorded. */
  readonly onHandled: (durationMs: number) => void
}

/** What became of a job: `lost` if another worker has it by now. */
export type JobState = 'done' | 'failed' | 'dead' | 'lost'

/** What is told of a job with an error. `running`: it goes on, though its drain has ended. */
export type ToldState = Exclude<JobState, 'done'> | 'running'

/** The shortest pause before a statement that failed is sent again. */
const SHORTEST_PAUSE_MS = 20
const LONGEST_ERROR = 1000
/** How long a renewal that was sent just before the end of the lease, or after it, may take at most. */
const LONGEST_PATIENCE_MS = 5000
const FINISHED = 'another run of this event has finished first'
const TAKEN_OVER =
  'the lease had ended, and then another worker has taken over the event, or it was forgotten'
export const RUNS_AGAIN = 'the event runs again when its lease ends, perhaps while this run goes on'

const TOO_BUSY =
  'the lease of the event had ended before its handler began, because this process was busy: it runs later, as the same attempt'

/** One attempt at a job, from its lease to what became of it. Never rejects. */
export class Run<Given extends Listener<unknown>> {
  readonly job: Job
  readonly #options: RunOptions<Given>
  readonly #attempt: Attempt
  readonly #signal = new AbortController()
  /** When the lease ends, by this process's monotonic clock: counted from before the statement was sent. */
  #heldUntil: number
  /** Keeps the run from ending then. A statement that renews the lease may hang. */
  #unexpire = () => {}
  /** Why the last renewal has failed. */
  #problem: unknown
  /** Whether a timer was late since the last renewal. */
  #wasBusy = false
  readonly #takenAt = performance.now()
  #startedAt = this.#takenAt
  #beating: ReturnType<typeof setTimeout> | undefined
  #beatAt = 0
  /** When the last renewal was asked for. Until it is answered, no other one is due. */
  #sentAt = 0
  #isBegun = false
  /** Whether its attempt was counted, as far as is known. */
  #isCounted: boolean
  #isHandled = false
  #isLost = false
  #isOver = false
  /** The end of the run is being recorded. */
  #isEnding = false
  /** `done(tx)` was called: what becomes of the event is up to that transaction. */
  #isDoneInTransaction = false

  /** @param heldUntil When the lease ends. */
  constructor(options: RunOptions<Given>, job: Job, heldUntil: number) {
    const { key, owner, worker, suspect } = job
    this.#options = options
    this.job = job
    this.#attempt = { key, owner, worker, suspect }
    this.#heldUntil = heldUntil
    this.#isCounted = job.fate === 'taken'
    this.#expireAt(heldUntil)
    this.#beatInTime()
  }

  /** Starts. If it was taken ahead, that is counted while the handler runs: at once, or with its end if that comes first. */
  async attempt(): Promise<JobState> {
    this.#isBegun = true
    this.#startedAt = performance.now()
    if (!this.#isCounted) this.#beatIn(0)
    try {
      return await this.#settled()
    } catch (error) {
      if (!this.#isLost) this.#tell(error, 'lost') // its end could not be recorded
      return 'lost'
    } finally {
      this.drop()
    }
  }

  /** For how long the job has been due. */
  get waitedMs(): number {
    return this.job.waitedMs + performance.now() - this.#takenAt
  }

  /** Whether the event is no longer held, though the handler may go on. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** Whether the handler is at work, on an event that it holds. */
  get isAtWork(): boolean {
    return !this.#isLost && !this.#isHandled
  }

  /** Ends the run, without a word. */
  drop(): Attempt {
    this.#isOver = true
    this.#clear()
    return this.#attempt
  }

  /** Aborts the signal of the event, which stays this run's. */
  interrupt(error: Error): void {
    this.#signal.abort(error)
  }

  /** Tells that the run goes on, and keeps its event. */
  goOn(problem: string): void {
    if (!this.#isLost && !this.#isOver) this.#tell(new InboxError(problem), 'running')
  }

  /** Stops the heartbeat, and tells the handler and the operator. */
  abandon(problem: string, cause?: unknown): void {
    if (this.#isLost || this.#isOver) return
    this.#isLost = true
    this.#clear()
    if (!this.#isBegun) return
    const error = new InboxError(problem, { cause })
    this.interrupt(error)
    this.#tell(error, 'lost')
  }

  /** Renews the lease, if that is due before long. */
  renewAlong(): void {
    if (this.#beating === undefined || this.#beatAt - performance.now() > this.#options.leaseMs / 4) return
    void this.#beat()
  }

  async #settled(): Promise<JobState> {
    const { listener, records } = this.#options
    let event: JobEvent<Given>
    try {
      event = await readAgain(this.job.envelope, listener, this.#signal.signal)
    } catch (error) {
      return this.#failed(error, isA(error, InboxError) ? 'for good' : undefined)
    }
    const isHeld = performance.now() < this.#heldUntil
    if (!isHeld || this.#signal.signal.aborted) {
      await records.giveBack([this.#attempt])
      if (!isHeld) this.abandon(TOO_BUSY)
      return 'lost'
    }
    try {
      await this.#handled(event)
    } catch (error) {
      return this.#failed(error)
    }
    if (!this.#isDoneInTransaction) return this.#done()
    const wasOpen = 'the handler has resolved, but the transaction of its done(tx) was not committed'
    return (await this.#failed(new InboxError(wasOpen), 'if it still runs')) ?? 'done'
  }

  async #handled(event: JobEvent<Given>): Promise<void> {
    const { handler, onHandled } = this.#options
    try {
      await handler(event, { attempt: this.job.attempt, done: (tx) => this.#doneIn(tx) })
    } finally {
      this.#isHandled = true
      if (!this.#isCounted) this.#beatInTime()
      onHandled(performance.now() - this.#startedAt)
    }
  }

  async #done(): Promise<JobState> {
    const answer = await this.#recorded({ ...this.#attempt, ms: this.#retention() })
    if (answer === 'done') return 'done'
    this.abandon(answer === 'already' ? FINISHED : TAKEN_OVER)
    return 'lost'
  }

  #retention(): string {
    const { listener, retentionMs } = this.#options
    return milliseconds(Math.max(listener.retentionMs, retentionMs))
  }

  async #doneIn(tx: PostgresClient): Promise<void> {
    this.#isDoneInTransaction = true
    const { key, listener, owner, worker } = this.job
    const values = [key, listener, owner, this.#retention(), worker]
    try {
      await doneInside(tx, 'done(tx)', this.#options.statements.doneInTransaction, values)
    } catch (cause) {
      if (!isA(cause, LeaseLostError)) throw cause
      throw new InboxError(
        'another run of this event has finished first, or goes on in its place, or the event was forgotten, so this transaction fails',
        { cause },
      )
    }
  }

  async #failed(error: unknown, how?: 'for good' | undefined): Promise<JobState>
  async #failed(error: unknown, how: 'if it still runs'): Promise<JobState | undefined>
  async #failed(error: unknown, how?: 'for good' | 'if it still runs'): Promise<JobState | undefined> {
    const text = asciiText(`${textOf(error, 'name') ?? ''}: ${textOf(error, 'message') ?? typeof error}`)
    const answer = await this.#recorded({
      ...this.#attempt,
      ms: this.#delay(),
      error: text.slice(0, LONGEST_ERROR),
      most: how === 'for good' ? 0 : this.#options.maxAttempts,
    })
    if (answer === 'already' && how === 'if it still runs') return undefined
    const state = answer === 'dead' ? 'dead' : answer === 'waiting' ? 'failed' : 'lost'
    this.#tell(error, state)
    return state
  }

  #delay(): string {
    const delay: unknown = this.#options.delayMs(this.job.attempt)
    if (typeof delay === 'number' && delay >= 0) return milliseconds(delay)
    throw new ListenerConfigError('delayMs', 'must return a number of milliseconds, 0 or more')
  }

  /** Asks until it is answered, or until the lease has ended: first together with other ends, then alone, at least once. */
  async #recorded(end: End): Promise<string> {
    const { records } = this.#options
    this.#isEnding = true
    let isAlone = false
    for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, this.#pauseMs())) {
      try {
        const answer = isAlone ? await records.endAlone(end) : await records.end(end)
        if (answer !== LOCKED) return answer
      } catch (error) {
        if (this.#isLost || (isAlone && performance.now() >= this.#heldUntil)) throw error
        const pause = pauseMs
        await new Promise<void>((resolve) => void afterwards(pause, resolve))
      }
      isAlone = true
    }
  }

  #pauseMs(): number {
    return Math.max(this.#options.leaseMs / 10, SHORTEST_PAUSE_MS)
  }

  #tell(error: unknown, state: ToldState): void {
    this.#options.tell(error, this.job, state, performance.now() - this.#startedAt)
  }

  #clear(): void {
    clearTimeout(this.#beating)
    this.#unexpire()
  }

  #expireAt(end: number, isLast = false): void {
    this.#unexpire()
    if (this.#isOver || this.#isLost) return
    this.#unexpire = unlessAnswered(end - performance.now(), () => this.#expire(end, isLast))
  }

  /**
   * The lease has ended, but nobody need have taken the event yet: what this process has sent too late, because it was busy, may still renew
   * it, and is waited for. If the end of the run is being recorded, that knows by itself when it is too late.
   */
  #expire(end: number, isLast: boolean): void {
    if (this.#isEnding) return
    const patienceMs = Math.min(this.#options.leaseMs / 4, LONGEST_PATIENCE_MS)
    const isLate = this.#isLate(end)
    this.#wasBusy ||= isLate
    const isAsked = isLate || (this.#beating === undefined && !isLast)
    const answerBy = patienceMs + (isLate ? performance.now() : this.#sentAt)
    if (isAsked && performance.now() < answerBy) {
      this.#expireAt(answerBy, true)
    } else {
      const why = this.#wasBusy
        ? 'this process was busy, and no renewal was answered in time'
        : 'the database did not renew it'
      this.abandon(`the lease has ended, because ${why}: ${RUNS_AGAIN}`, this.#problem)
    }
  }

  /** Whether the process was too busy for a timer that was due then. */
  #isLate(due: number): boolean {
    return performance.now() - due > this.#pauseMs()
  }

  /** Once half of the lease has passed, however late its beginning was heard of. */
  #beatInTime(): void {
    this.#beatIn(this.#heldUntil - this.#options.leaseMs / 2 - performance.now())
  }

  #beatIn(delayMs: number): void {
    clearTimeout(this.#beating)
    if (this.#isOver || this.#isLost) return
    this.#beatAt = performance.now() + Math.max(0, delayMs)
    this.#beating = afterwards(delayMs, () => void this.#beat())
  }

  async #beat(): Promise<void> {
    clearTimeout(this.#beating)
    this.#beating = undefined
    const { leaseMs, maxRunMs, records } = this.#options
    const sentAt = performance.now()
    if (this.#isBegun && sentAt - this.#startedAt >= maxRunMs) {
      if (this.#isEnding) return // that has the rest of the lease
      const unless = this.#isDoneInTransaction ? 'unless its done(tx) was committed, ' : ''
      return this.abandon(`the handler still runs after ${maxRunMs} ms: ${unless}${RUNS_AGAIN}`)
    }
    this.#wasBusy ||= this.#isLate(this.#beatAt)
    this.#sentAt = sentAt
    try {
      const begun = this.#isBegun
      const answer = await records.renew({ ...this.#attempt, begun })
      if (this.#isOver || this.#isLost) return
      const isTakenOver = answer === 'taken over'
      if (answer === NONE || answer === 'done' || isTakenOver) {
        if (this.#isEnding) return // perhaps by this run
        if (!this.#isDoneInTransaction || isTakenOver)
          return this.abandon(answer === 'done' ? FINISHED : TAKEN_OVER)
        this.#unexpire() // if done by this run, there is nothing to lose
        return this.#beatIn(this.#startedAt + maxRunMs - performance.now())
      }
      this.#problem = undefined
      this.#wasBusy = false
      if (answer === LOCKED) {
        this.#expireAt(Math.max(this.#heldUntil, performance.now() + leaseMs / 4)) // nobody can take it meanwhile
        return this.#beatIn(this.#pauseMs())
      }
      this.#heldUntil = sentAt + leaseMs
      this.#expireAt(this.#heldUntil)
      this.#isCounted ||= begun
      if (begun || !this.#isBegun) this.#beatInTime()
    } catch (error) {
      this.#problem = error
      this.#beatIn(this.#pauseMs())
    }
  }
}
