import type { Dependencies } from '../http/dependencies.ts'
import type { Job } from '../jobs/queue.ts'
import { advanceRun, foresee, giveRunUp } from './advance.ts'
import { dueStep } from './due-step.ts'

/**
 * Works on the next job: performs the remaining steps of a run.
 *
 * @param isStopping Called before each step. The remaining steps stay in the queue.
 * @returns Whether there was a job.
 */
export async function workOnNext(dependencies: Dependencies, isStopping = () => false): Promise<boolean> {
  const { jobs } = dependencies
  const job = await jobs.take()
  if (job === undefined) return false
  try {
    while (!isStopping()) if (await advance(dependencies, job)) return true
    await jobs.fail(job)
    return true
  } catch (error) {
    await jobs.fail(job)
    throw error
  }
}

/** Completes the job in the transaction that ends its run. */
async function advance(dependencies: Dependencies, job: Job): Promise<boolean> {
  const { database, jobs } = dependencies
  const isGivenUp = job.queue === 'runs_given_up'
  const due = isGivenUp ? undefined : await dueStep(database, job.runId)
  const evaluate = due && (await foresee(database, due))
  return database.transaction(async (tx) => {
    if (isGivenUp) await giveRunUp(tx, dependencies, job.runId)
    else if (due && evaluate && !(await advanceRun(tx, dependencies, due, evaluate))) return false
    await jobs.complete(tx, job)
    return true
  })
}

export interface WorkerOptions {
  /** The concurrency, in runs. Default 4. */
  readonly lanes?: number | undefined
  /**
   * How often to poll for jobs of other processes, in milliseconds. Default 1,000. Jobs of this process wake it at
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
  #announced = 0
  #stopping = false

  constructor(dependencies: Dependencies, { lanes = 4, pollMs = 1_000 }: WorkerOptions = {}) {
    this.#dependencies = dependencies
    this.#pollMs = pollMs
    this.#lanes = Array.from({ length: lanes }, () => this.#work())
    dependencies.jobs.onAnnounced(() => this.#wake())
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
      const worked = await workOnNext(this.#dependencies, () => this.#stopping).catch((error) => {
        this.#dependencies.report(error)
        return false
      })
      const quiet = announced === this.#announced // no job was announced during the poll
      if (!worked && quiet && !this.#stopping) await this.#sleep()
    }
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
