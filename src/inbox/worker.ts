import { within } from '../lib/timers.ts'
import type { Listener } from '../listener.ts'
import { Crew, type CrewOptions } from './crew.ts'
import { Probe } from './probe.ts'
import { RUNS_AGAIN } from './run.ts'
import type { Sweeper } from './sweeper.ts'
import { Teller, type TellerOptions } from './teller.ts'

/** A running worker. */
export interface InboxWorker {
  /**
   * Takes no more jobs, and resolves when those that run have ended, at the latest half a second after `drainMs`: their signal is then
   * aborted. Those that heed it run again after a delay, all others when their lease ends, which is told.
   */
  stop(): Promise<void>
}

export interface WorkerOptions<Given extends Listener<unknown>>
  extends Omit<CrewOptions<Given>, 'teller' | 'onPlace' | 'onSettled' | 'hasTime'> {
  readonly sweeper: Sweeper
  readonly pollMs: number
  readonly drainMs: number
  readonly random: () => number
  readonly onError: TellerOptions['onError']
}

const LONGEST_PAUSE_MS = 30_000
export const SETTLE_MS = 500

/** Runs the due jobs of one listener until it is stopped. */
export class Worker<Given extends Listener<unknown>> implements InboxWorker {
  readonly #options: WorkerOptions<Given>
  readonly #teller: Teller
  readonly #probe: Probe
  readonly #crew: Crew<Given>
  readonly #looping: Promise<void>
  /** A worker keeps its process alive, whatever its client does. */
  readonly #alive = setInterval(() => {}, 2 ** 30)
  #isStopping = false
  /** How often it was woken, so that a job which is put during a `take` is not overlooked. */
  #wakes = 0
  /** The key of the job that woke it last, if one did. */
  #put: string | undefined
  #wakeUp: () => void = () => {}
  /** Whether it waits for a place. Otherwise no job was due, and a place is no reason to look again. */
  #isFull = false
  /** Until the sweep that was asked for last has been answered, or given up. */
  #sweeping: Promise<void> | undefined
  #failures = 0

  constructor(options: WorkerOptions<Given>) {
    this.#options = options
    this.#teller = new Teller(options)
    this.#probe = new Probe(options)
    this.#crew = new Crew({
      ...options,
      teller: this.#teller,
      onPlace: () => this.#isFull && this.#wakeUp(),
      onSettled: (_, hasKey) => (hasKey ? this.wake() : this.#wakeUp()), // the next one of the key is due
    })
    this.#looping = this.#loop()
  }

  /** @param put The key of a new job. */
  wake(put?: string): void {
    this.#wakes += 1
    this.#put = put
    this.#wakeUp()
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.wake()
    const drained = this.#crew
      .wind()
      .then(() => this.#looping)
      .then(() => Promise.all([this.#crew.settled(), this.#sweeping]))
    await within(this.#options.drainMs, drained)
    this.#crew.close()
    for (const run of this.#crew.runs)
      run.abandon(`the worker stops, but the handler still runs: ${RUNS_AGAIN}`)
    // Handlers that heed their signal have a moment, in which their end is recorded, so that their event need not wait for its lease. So does
    // what the database hands out by now: it is given back.
    await within(SETTLE_MS, this.#crew.settled())
    clearInterval(this.#alive)
  }

  async #loop(): Promise<void> {
    /** The only job that was put here since the last look, while nothing ran. */
    let put: string | undefined
    let lookedAt = 0
    while (!this.#isStopping) {
      const { places } = this.#crew
      const wakes = this.#wakes
      this.#isFull = places === 0
      if (this.#isFull) {
        await this.#pause(LONGEST_PAUSE_MS)
        continue
      }
      try {
        await this.#probe.pass()
        if (this.#isStopping) break
        const taken = await this.#crew.take(places, put)
        if (put === undefined) lookedAt = performance.now()
        put = undefined
        this.#sweep()
        this.#failures = 0
        if (taken < places && wakes === this.#wakes) {
          await this.#pause(lookedAt + this.#options.pollMs - performance.now())
          if (this.#wakes === wakes + 1 && this.#crew.isIdle) put = this.#put
        }
      } catch (error) {
        put = undefined // others may be put during the outage
        this.#probe.fail()
        await this.#outage(error)
      }
    }
  }

  /** Beside the jobs, which wait for nothing here. */
  #sweep(): void {
    this.#sweeping ??= this.#options.sweeper
      .sweep({ isOver: () => this.#isStopping, tell: (error) => this.#teller.tell(error) })
      .finally(() => {
        this.#sweeping = undefined
      })
  }

  /** Ends early when a job is put in this process, when a handler or a run ends, and when the worker stops. */
  async #pause(milliseconds: number): Promise<void> {
    if (this.#isStopping) return
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, milliseconds))
      this.#wakeUp = resolve
    })
    clearTimeout(timer)
  }

  /** Told once, at its beginning. */
  async #outage(error: unknown): Promise<void> {
    if (this.#failures === 0) this.#teller.tell(error)
    this.#failures += 1
    const { pollMs, random } = this.#options
    const longest = Math.min(pollMs * 2 ** this.#failures, LONGEST_PAUSE_MS)
    await this.#pause(longest * (0.5 + random() / 2))
  }
}
