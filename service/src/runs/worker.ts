import type { Dependencies } from '../http/dependencies.ts'
import { Turns } from '../turns.ts'
import { advanceRun, giveRunUp } from './advance.ts'
import { dueStep } from './due-step.ts'
import { foresee } from './effects.ts'
import { MOST_ATTEMPTS, type TakenRun } from './queue.ts'

/** How many steps a process has in hand. Most of them wait for slow expressions. */
const MOST_STEPS = 64
/** How many of them may be of one automation. */
const MOST_EACH = 3
/** How many transactions they have at once. Leaves connections to requests. */
const LANES = 4

/**
 * Performs the next step of the run whose turn it is.
 *
 * @returns Whether there was one.
 */
export async function workOnNext(dependencies: Dependencies): Promise<boolean> {
  const run = await dependencies.runs.take()
  if (run) await attempt(dependencies, run)
  return run !== undefined
}

async function attempt(dependencies: Dependencies, run: TakenRun): Promise<void> {
  try {
    const outcome = await workOn(dependencies, run)
    if (outcome !== undefined) dependencies.metrics.endedRuns.add(1, { outcome })
  } catch (error) {
    await dependencies.runs.retry(run)
    throw error
  }
}

/** @returns How the run ended, if it did. */
async function workOn(dependencies: Dependencies, { id, attempt }: TakenRun) {
  const { database } = dependencies
  if (attempt > MOST_ATTEMPTS) return database.transaction((tx) => giveRunUp(tx, dependencies, id))
  const due = await dueStep(database, id)
  if (due === undefined) return undefined
  const evaluate = await foresee(database, due)
  return database.transaction((tx) => advanceRun(tx, dependencies, due, evaluate))
}

/** Works on runs until it is stopped. Any number of processes may share a database. */
export class RunWorker {
  readonly #dependencies: Dependencies
  readonly #pollMs: number
  readonly #lanes = new Turns(Array.from({ length: LANES }, (_, lane) => lane))
  /** The steps in hand, and their automations. */
  readonly #steps = new Map<Promise<void>, string>()
  readonly #working: Promise<void>
  /** Whether there may be a run to take. */
  #hasNews = true
  #wake = () => {}
  #stopping = false

  /**
   * @param options `pollMs`: How often to poll for runs of other processes, in milliseconds. Default 1,000. Runs of this
   * process wake it at once.
   */
  constructor(dependencies: Dependencies, { pollMs = 1_000 }: { readonly pollMs?: number } = {}) {
    this.#dependencies = dependencies
    this.#pollMs = pollMs
    dependencies.runs.onAnnounced(() => this.#hear())
    this.#working = this.#work()
  }

  /** Resolves when the steps in hand are done. The remaining steps stay in the queue. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#hear()
    await this.#working
    await Promise.all(this.#steps.keys())
  }

  async #work(): Promise<void> {
    while (!this.#stopping) {
      this.#hasNews = false
      const run = await this.#take().catch(this.#dependencies.report)
      if (run) this.#begin(run)
      else if (!this.#hasNews) await this.#sleep()
    }
  }

  async #take(): Promise<TakenRun | undefined> {
    const busy = [...this.#steps.values()]
    if (busy.length >= MOST_STEPS) return undefined
    const countOf = (id: string) => busy.filter((each) => each === id).length
    return this.#dependencies.runs.take(busy.filter((id) => countOf(id) >= MOST_EACH))
  }

  /** Only the transactions take a lane, so the slow expressions of some automations do not delay the runs of others. */
  #begin(run: TakenRun): void {
    const { database } = this.#dependencies
    const inLane: Dependencies = {
      ...this.#dependencies,
      database: {
        ...database,
        transaction: (work) => this.#lanes.use(run.id, () => database.transaction(work)),
      },
    }
    const step = attempt(inLane, run)
      .catch(this.#dependencies.report)
      .finally(() => {
        this.#steps.delete(step)
        this.#hear()
      })
    this.#steps.set(step, run.automationId)
  }

  #hear(): void {
    this.#hasNews = true
    this.#wake()
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#pollMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
