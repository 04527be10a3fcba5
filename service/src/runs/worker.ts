import type { Dependencies } from '../http/dependencies.ts'
import { BusyError, Turns } from '../turns.ts'
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

/** Performs the next step of a run. */
export async function attempt(dependencies: Dependencies, run: TakenRun): Promise<void> {
  try {
    const outcome = await workOn(dependencies, run)
    if (outcome !== undefined) dependencies.metrics.endedRuns.add(1, { outcome })
  } catch (error) {
    await dependencies.runs.retry(run)
    if (!(error instanceof BusyError)) throw error // only its own expressions are in the way
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

/**
 * Works on runs until it is stopped. Any number of processes may share a database.
 *
 * @param options `pollMs`: How often to poll for runs of other processes, in milliseconds. Default 1,000. Runs of this
 * process wake it at once.
 * @returns `stop` resolves when the steps in hand are done. The remaining steps stay in the queue.
 */
export function startWorker(
  dependencies: Dependencies,
  { pollMs = 1_000 }: { readonly pollMs?: number } = {},
): { stop(): Promise<void> } {
  const { database, runs, report } = dependencies
  const lanes = new Turns(Array.from({ length: LANES }, (_, lane) => lane))
  /** The steps in hand, and their automations. */
  const steps = new Map<Promise<void>, string>()
  /** Whether there may be a run to take. */
  let hasNews = true
  let wake = () => {}
  let stopping = false

  const hear = () => {
    hasNews = true
    wake()
  }
  const sleep = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pollMs)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  async function take(): Promise<TakenRun | undefined> {
    const busy = [...steps.values()]
    if (busy.length >= MOST_STEPS) return undefined
    const countOf = (id: string) => busy.filter((each) => each === id).length
    return runs.take(busy.filter((id) => countOf(id) >= MOST_EACH))
  }

  /** Only the transactions take a lane, so the slow expressions of some automations do not delay the runs of others. */
  function begin(run: TakenRun): void {
    const inLane: Dependencies['database'] = {
      ...database,
      transaction: (work) => lanes.use(run.id, () => database.transaction(work)),
    }
    const step = attempt({ ...dependencies, database: inLane }, run)
      .catch(report)
      .finally(() => {
        steps.delete(step)
        hear()
      })
    steps.set(step, run.automationId)
  }

  async function work(): Promise<void> {
    while (!stopping) {
      hasNews = false
      const run = await take().catch(report)
      if (run) begin(run)
      else if (!hasNews) await sleep()
    }
  }

  runs.onAnnounced(hear)
  const working = work()
  return {
    async stop() {
      stopping = true
      hear()
      await working
      await Promise.all(steps.keys())
    },
  }
}
