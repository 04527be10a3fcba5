/**
 * Chooses between verifying a signature inline and in the thread pool. A round trip to the pool costs as much as the check,
 * so it pays only if other checks run at the same time, on other cores.
 *
 * The first check of a turn of the event loop runs inline. It leaves a marker, which counts as a check in flight until the
 * turn ends, so that later checks of the same turn use the pool. Sequential requests each have a turn of their own:
 *
 * ```
 *            │◄────────── one turn ──────────►│◄── next ──►│
 * request    │ A        nextTick   B     C    │ D          │
 * in flight  │ 1        marker: 1  2     3    │ 1          │
 * runs       │ inline              pool  pool │ inline     │
 *                                   setImmediate: marker gone
 * ```
 */
import { availableParallelism } from 'node:os'

const hasOneCore = availableParallelism() === 1
let inFlight = 0
let isMarked = false

/** Counts a check in (1) or out (-1). */
export function count(change: 1 | -1): void {
  inFlight += change
}

/** Whether the check that is about to run should block this thread. Count it in before. */
export function runsInline(): boolean {
  if (hasOneCore) return true
  if (inFlight > 1) return false
  if (!isMarked) {
    isMarked = true
    process.nextTick(() => {
      count(1)
      setImmediate(() => {
        count(-1)
        isMarked = false
      })
    })
  }
  return true
}
