import { EventStoreError } from '../errors.ts'
import { withDeadline } from '../lib/clock.ts'
import { isA, textOf } from '../lib/member-of.ts'
import type { Listener } from '../listener.ts'
import { asciiText } from '../stores/contract.ts'
import {
  checkTransaction,
  hasSqlState,
  type PostgresClient,
  type Row,
  type RunStatement,
  statementRunner,
} from '../stores/postgres/client.ts'
import { answerOf } from './ask.ts'
import { milliseconds } from './claims.ts'
import { InboxError } from './errors.ts'
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
   * @throws InboxError if another run was faster, or if `tx` is not in a transaction. The former also makes your transaction fail.
   */
  done(tx: PostgresClient): Promise<void>
}

/** Handles one event. Resolve if it is done; throw or reject to run it again later. */
export type InboxHandler<Given extends Listener<unknown>> = (event: JobEvent<Given>, run: InboxRun) => unknown

/** A row as `take` returns it. */
export interface Job {
  /** Key, listener and owner, which name the event. */
  readonly name: readonly [string, string, string]
  readonly twin: string
  readonly worker: string
  readonly eventId: string
  readonly isDead: boolean
  readonly attempt: number
  readonly waitedMs: number
  readonly envelope: unknown
}

export function jobOf(row: Row, worker: string): Job {
  const text = (name: string) => textOf(row, name) ?? ''
  return {
    name: [text('key'), text('listener_id'), text('owner')],
    twin: text('twin'),
    worker,
    eventId: text('id').replace(/\\u([0-9a-f]{4})/g, (_, unit) =>
      String.fromCharCode(Number.parseInt(unit, 16)),
    ), // as `asciiText` wrote it
    isDead: text('state') === 'dead',
    attempt: Number(text('attempts')),
    waitedMs: Number(text('waited')),
    envelope: row.envelope,
  }
}

export interface RunOptions<Given extends Listener<unknown>> {
  readonly run: RunStatement
  readonly statements: Statements
  readonly listener: Given
  readonly handler: InboxHandler<Given>
  readonly leaseMs: number
  readonly retentionMs: number
  readonly maxAttempts: number
  readonly maxRunMs: number
  readonly delayMs: (attempt: number) => number
  /** Tells an error of this job. */
  readonly tell: (error: unknown, job: Job, state: JobState) => void
}

/** What became of a job: `lost` if another worker has it by now. */
export type JobState = 'done' | 'failed' | 'dead' | 'lost'

/** How long a statement may take: clients are known to hang for a minute. */
export const STATEMENT_MS = 10_000

/** The shortest pause before a statement that failed is sent again. */
const SHORTEST_PAUSE_MS = 20
const LONGEST_ERROR = 1000
export const RUNS_AGAIN = 'the event runs again when its lease ends, perhaps while this run goes on'

/** One attempt at a job, from its lease to what became of it. Never rejects. */
export class Run<Given extends Listener<unknown>> {
  readonly #options: RunOptions<Given>
  readonly #job: Job
  readonly #lost = new AbortController()
  /** When the lease ends, by this process's monotonic clock: counted from before the statement was sent. */
  #heldUntil: number
  readonly #startedAt = performance.now()
  #beating: ReturnType<typeof setTimeout> | undefined
  #isOver = false
  /** The end of the run is being recorded. */
  #isEnding = false
  /** `done(tx)` was called: what becomes of the event is up to that transaction. */
  #isDoneInTransaction = false

  /** @param heldUntil When the lease ends. */
  constructor(options: RunOptions<Given>, job: Job, heldUntil: number) {
    this.#options = options
    this.#job = job
    this.#heldUntil = heldUntil
  }

  async attempt(): Promise<JobState> {
    this.#beatIn(this.#options.leaseMs / 2)
    try {
      return await this.#settled()
    } catch (error) {
      this.#options.tell(error, this.#job, 'lost') // its end could not be recorded
      return 'lost'
    } finally {
      this.#isOver = true
      clearTimeout(this.#beating)
    }
  }

  /** Whether the event is no longer held, though the handler may go on. */
  get isLost(): boolean {
    return this.#lost.signal.aborted
  }

  /** Stops the heartbeat, and tells the handler and the operator. */
  abandon(problem: string, cause?: unknown): void {
    if (this.#lost.signal.aborted || this.#isOver) return
    clearTimeout(this.#beating)
    const error = new InboxError(problem, { cause })
    this.#lost.abort(error)
    this.#options.tell(error, this.#job, 'lost')
  }

  async #settled(): Promise<JobState> {
    const { handler, listener } = this.#options
    let event: JobEvent<Given>
    try {
      event = await readAgain(this.#job.envelope, listener, this.#lost.signal)
    } catch (error) {
      return this.#failed(error, isA(error, InboxError) ? 'for good' : undefined)
    }
    try {
      await handler(event, { attempt: this.#job.attempt, done: (tx) => this.#doneIn(tx) })
    } catch (error) {
      return this.#failed(error)
    }
    if (!this.#isDoneInTransaction) return this.#done()
    const wasOpen = 'the handler has resolved, but the transaction of its done(tx) was not committed'
    return (await this.#failed(new InboxError(wasOpen), 'if it still runs')) ?? 'done'
  }

  async #done(): Promise<JobState> {
    const { statements } = this.#options
    if (await this.#recorded(statements.done, this.#doneValues())) return 'done'
    this.abandon('another run of this event has finished first')
    return 'lost'
  }

  #doneValues(): string[] {
    const { listener, retentionMs } = this.#options
    return [...this.#job.name, this.#job.twin, milliseconds(Math.max(listener.retentionMs, retentionMs))]
  }

  async #doneIn(tx: PostgresClient): Promise<void> {
    const run = statementRunner(tx, 'tx')
    checkTransaction(tx)
    this.#isDoneInTransaction = true
    const { statements } = this.#options
    try {
      await run(statements.mark, [this.#job.worker])
      const [row] = await run(statements.doneInTransaction, [...this.#doneValues(), this.#job.worker])
      if (row?.answer === 'done') return
    } catch (cause) {
      if (!hasSqlState(cause, DIVISION_BY_ZERO)) throw cause
      throw new InboxError('another run of this event has finished first, so this transaction fails', {
        cause,
      })
    }
    throw new InboxError('done(tx) takes the client of an open transaction: this one has none')
  }

  async #failed(error: unknown, how?: 'for good' | undefined): Promise<JobState>
  async #failed(error: unknown, how: 'if it still runs'): Promise<JobState | undefined>
  async #failed(error: unknown, how?: 'for good' | 'if it still runs'): Promise<JobState | undefined> {
    const { statements, delayMs, maxAttempts, tell } = this.#options
    const [key, listener] = this.#job.name
    const text = asciiText(`${textOf(error, 'name') ?? ''}: ${textOf(error, 'message') ?? typeof error}`)
    const mostAttempts = how === 'for good' ? 0 : maxAttempts
    const answer = await this.#recorded(statements.fail, [
      ...[key, listener, this.#job.worker, text.slice(0, LONGEST_ERROR)],
      ...[milliseconds(delayMs(this.#job.attempt)), `${mostAttempts}`],
    ])
    if (answer === 'done' && how === 'if it still runs') return undefined
    const state = answer === 'dead' ? 'dead' : answer === 'waiting' ? 'failed' : 'lost'
    tell(error, this.#job, state)
    return state
  }

  /** Sends a statement until it is answered, or until the lease has ended. Undefined if it changed nothing. */
  async #recorded(statement: string, values: readonly string[]): Promise<unknown> {
    this.#isEnding = true
    for (;;) {
      try {
        return await this.#ask(statement, values)
      } catch (error) {
        if (performance.now() >= this.#heldUntil) throw error
        await new Promise((resolve) => setTimeout(resolve, this.#pauseMs()))
      }
    }
  }

  #ask(statement: string, values: readonly string[]): Promise<unknown> {
    const late = () => new EventStoreError(`the inbox got no answer within ${STATEMENT_MS} ms`)
    return withDeadline(answerOf(this.#options.run, statement, values), STATEMENT_MS, late)
  }

  #pauseMs(): number {
    return Math.max(this.#options.leaseMs / 10, SHORTEST_PAUSE_MS)
  }

  #beatIn(delayMs: number): void {
    if (this.#isOver || this.#lost.signal.aborted) return
    this.#beating = setTimeout(() => void this.#beat(), delayMs)
  }

  async #beat(): Promise<void> {
    const { leaseMs, maxRunMs, statements } = this.#options
    const sentAt = performance.now()
    if (sentAt - this.#startedAt >= maxRunMs)
      return this.abandon(`the handler still runs after ${maxRunMs} ms: ${RUNS_AGAIN}`)
    const [key, listener] = this.#job.name
    try {
      const answer = await this.#ask(statements.beat, [
        key,
        listener,
        this.#job.worker,
        milliseconds(leaseMs),
      ])
      if (this.#isOver) return
      if (answer === undefined) {
        if (this.#isEnding || this.#isDoneInTransaction) return // perhaps by this run
        return this.abandon('another worker has taken over the event, because the lease had ended')
      }
      if (answer === 'locked') return this.#beatIn(this.#pauseMs())
      this.#heldUntil = sentAt + leaseMs
      this.#beatIn(leaseMs / 2)
    } catch (error) {
      if (performance.now() < this.#heldUntil) this.#beatIn(this.#pauseMs())
      else this.abandon(`the lease has ended, because the database did not renew it: ${RUNS_AGAIN}`, error)
    }
  }
}

const DIVISION_BY_ZERO = '22012'
