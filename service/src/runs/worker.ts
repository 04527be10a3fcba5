import type { Dependencies } from '../http/dependencies.ts'
import { advanceRun, foresee, giveRunUp } from './advance.ts'
import { dueStep } from './due-step.ts'
import { MOST_ATTEMPTS, type TakenRun } from './queue.ts'

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

export interface WorkerOptions {
  /** The concurrency, in steps. Default 4. */
  readonly lanes?: number | undefined
  /**
   * How often to poll for runs of other processes, in milliseconds. Default 1,000. Runs of this process wake it at
   * once.
   */
  readonly pollMs?: number | undefined
}

/** Works on runs until it is stopped. Any number of processes may share a database. */
export class RunWorker {
  readonly #dependencies: Dependencies
  readonly #pollMs: number
  readonly #lanes: Promise<void>[]
  readonly #sleepers = new Set<() => void>()
  /** The automations of the steps in progress. */
  readonly #busy: string[] = []
  #taking: Promise<unknown> = Promise.resolve()
  /** Leaves one lane to the other automations. */
  readonly #mostEach: number
  #announced = 0
  #stopping = false

  constructor(dependencies: Dependencies, { lanes = 4, pollMs = 1_000 }: WorkerOptions = {}) {
    this.#dependencies = dependencies
    this.#pollMs = pollMs
    this.#mostEach = Math.max(1, lanes - 1)
    this.#lanes = Array.from({ length: lanes }, () => this.#work())
    dependencies.runs.onAnnounced(() => this.#wake())
  }

  #wake(): void {
    this.#announced += 1
    const [first] = this.#sleepers
    first?.()
  }

  /** Resolves when the steps in progress are done. The remaining steps stay in the queue. */
  async stop(): Promise<void> {
    this.#stopping = true
    for (const rise of this.#sleepers) rise()
    await Promise.all(this.#lanes)
  }

  async #work(): Promise<void> {
    while (!this.#stopping) {
      const announced = this.#announced
      const worked = await this.#workOnNext().catch((error) => {
        this.#dependencies.report(error)
        return false
      })
      const quiet = announced === this.#announced // no run was announced during the poll
      if (!worked && quiet && !this.#stopping) await this.#sleep()
    }
  }

  async #workOnNext(): Promise<boolean> {
    const taking = this.#taking.then(() => this.#take())
    this.#taking = taking.catch(() => {})
    const run = await taking
    if (run === undefined) return false
    try {
      await attempt(this.#dependencies, run)
      return true
    } finally {
      this.#busy.splice(this.#busy.indexOf(run.automationId), 1)
    }
  }

  /** One at a time, so that each sees which automations have their lanes. */
  async #take(): Promise<TakenRun | undefined> {
    const lanesOf = (id: string) => this.#busy.filter((each) => each === id).length
    const run = await this.#dependencies.runs.take(this.#busy.filter((id) => lanesOf(id) >= this.#mostEach))
    if (run) this.#busy.push(run.automationId)
    return run
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      const rise = () => {
        clearTimeout(timer)
        this.#sleepers.delete(rise)
        resolve()
      }
      const timer = setTimeout(rise, this.#pollMs)
      this.#sleepers.add(rise)
    })
  }
}
