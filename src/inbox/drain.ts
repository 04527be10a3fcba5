import { within } from '../lib/timers.ts'
import type { Listener } from '../listener.ts'
import { keyText } from '../stores/postgres/statements.ts'
import { answerOf } from './ask.ts'
import { Crew, type CrewOptions } from './crew.ts'
import { InboxError } from './errors.ts'
import type { Probe } from './probe.ts'
import { inTime, STATEMENT_MS } from './records.ts'
import type { InboxHandler } from './run.ts'
import type { Sweeper } from './sweeper.ts'
import { Teller, type TellerOptions } from './teller.ts'
import { SETTLE_MS } from './worker.ts'

/** What a drain did. */
export interface Drained {
  /** How many events are done. */
  readonly done: number
  /** How many runs failed, and go again after a delay. An event that failed twice counts twice. */
  readonly failed: number
  /** How many events are dead. */
  readonly dead: number
  /** How many events of the listener wait now, due or after a delay. At most 10,000 are counted. */
  readonly waiting: number
}

export interface DrainerOptions<Given extends Listener<unknown>>
  extends Omit<CrewOptions<Given>, 'teller' | 'onPlace' | 'onSettled' | 'hasTime'> {
  readonly deadlineMs: number
  readonly probe: Probe
  readonly sweeper: Sweeper
  readonly onError: TellerOptions['onError']
}

/** The part of its time that a drain keeps for the ends of what it has begun. */
const RESERVE = 0.1
/** How long the last statement may take after the deadline. */
const LAST_MS = 1500

const GOES_ON =
  'the deadline of drain() has passed, but the handler still runs: end it when event.signal is aborted. It keeps the event until it ends, or until its process does'

/** Runs the jobs of one listener until none is due, or until it has no more time. */
export class Drainer<Given extends Listener<unknown>> {
  readonly #options: DrainerOptions<Given>
  readonly #teller: Teller
  readonly #crew: Crew<Given>
  readonly #did = { done: 0, failed: 0, dead: 0, lost: 0 }
  readonly #endsAt: number
  /** The most that a handler has taken. */
  #longestMs = 0
  /** How often it was woken, so that what is put or ends during a `take` is not overlooked. */
  #wakes = 0
  #wakeUp: () => void = () => {}
  #failure: { readonly error: unknown } | undefined

  constructor(options: DrainerOptions<Given>) {
    this.#options = options
    this.#endsAt = performance.now() + options.deadlineMs
    this.#teller = new Teller(options)
    this.#crew = new Crew({
      ...options,
      handler: this.#timed(options.handler),
      teller: this.#teller,
      hasTime: () => this.#hasTime(),
      onPlace: () => this.wake(),
      onSettled: (state) => {
        this.#did[state] += 1
        this.wake()
      },
    })
  }

  wake(): void {
    this.#wakes += 1
    this.#wakeUp()
  }

  /** @throws what the database did, once all that had begun has ended. */
  async drained(): Promise<Drained> {
    if (!(await within(this.#options.deadlineMs, this.#work()))) await this.#cutShort()
    if (this.#failure) throw this.#failure.error
    const { done, failed, dead } = this.#did
    return { done, failed, dead, waiting: await this.#waiting() }
  }

  async #work(): Promise<void> {
    const { probe, sweeper } = this.#options
    let sweeping: Promise<void> | undefined
    try {
      await probe.pass()
      for (let isMore = true; isMore && this.#hasTime(); ) {
        isMore = await this.#takeSome()
        sweeping ??= sweeper.sweep({
          isOver: () => !this.#hasTime(),
          tell: (error) => this.#teller.tell(error),
        })
      }
    } catch (error) {
      probe.fail()
      this.#failure = { error }
    }
    await this.#crew.wind()
    await Promise.all([this.#crew.settled(), sweeping])
  }

  /** Starts what is due, and waits until it may be worth another look. False if nothing is due, and nothing runs. */
  async #takeSome(): Promise<boolean> {
    const wakes = this.#wakes
    const { places } = this.#crew
    const taken = places > 0 ? await this.#crew.take(places) : 0
    if (wakes !== this.#wakes || (taken > 0 && taken === places)) return true
    if (this.#crew.runs.length === 0) return taken > 0
    await new Promise<void>((resolve) => {
      this.#wakeUp = resolve
    })
    return true
  }

  /** Whether a job that starts now may end in time: it may take as long as the longest one so far. */
  #hasTime(): boolean {
    const leftMs = this.#endsAt - performance.now()
    return leftMs > Math.max(this.#options.deadlineMs * RESERVE, this.#longestMs)
  }

  #timed(handler: InboxHandler<Given>): InboxHandler<Given> {
    return async (event, run) => {
      const startedAt = performance.now()
      try {
        return await handler(event, run)
      } finally {
        this.#longestMs = Math.max(this.#longestMs, performance.now() - startedAt)
      }
    }
  }

  async #cutShort(): Promise<void> {
    this.#wakeUp()
    void this.#crew.wind()
    const passed = new InboxError('the deadline of drain() has passed: the event runs again after a delay')
    for (const run of this.#crew.runs) run.interrupt(passed)
    await within(SETTLE_MS, this.#crew.settled())
    for (const run of this.#crew.runs) run.goOn(GOES_ON)
  }

  async #waiting(): Promise<number> {
    const { listener, run, statements } = this.#options
    const leftMs = this.#endsAt - performance.now()
    const asked = answerOf(run, statements.waiting, [await keyText(listener.id)])
    return Number(await inTime(asked, Math.min(Math.max(leftMs, LAST_MS), STATEMENT_MS)))
  }
}
