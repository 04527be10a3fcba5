import { type Clock, timeOf } from './clock.ts'
import { callHook } from './hooks.ts'

/** Workers cancel a request's I/O silently when the request ends, so other requests poll. */
const ENDS_WITH_ITS_REQUEST: boolean = 'WebSocketPair' in globalThis // at every compatibility date, unlike `navigator`

/** The polling interval of a waiting request. */
const LOOK_MS = 20

/** Keeps work alive after the request that started it ends. */
export type WaitUntil = (work: Promise<unknown>) => void

/** Work that runs at most once at a time. All callers share the run in flight. */
export interface SingleFlight {
  /** Whether the last run's request ended before the run settled. */
  isLost(): boolean
  /** When the last run began, by the clock. -Infinity before the first. */
  beganAt(): number
  /** Whether a run is in flight. */
  isUnderWay(): boolean
  /** Starts a run. Undefined while another is in flight, or if `may` returns false. */
  begin(may?: () => boolean): Promise<void> | undefined
  /** Waits for the run in flight, if any. */
  join(): Promise<void> | undefined
}

/** @param work Settles within `longestMs` unless it is lost. Records its failure itself: a run never rejects, because most have no waiter. */
export function singleFlight(
  work: () => Promise<void>,
  longestMs: number,
  clock: Clock,
  waitUntil: WaitUntil | undefined,
): SingleFlight {
  let current: Promise<void> | undefined
  let beganAt = -Infinity
  const isLost = () =>
    ENDS_WITH_ITS_REQUEST && current !== undefined && Math.abs(timeOf(clock) - beganAt) >= longestMs
  const underWay = () => (isLost() ? undefined : current)
  const lookUntilOver = async (begun: Promise<void>) => {
    while (current === begun && !isLost()) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  const begin = (may?: () => boolean) => {
    if (underWay() || may?.() === false) return undefined
    beganAt = timeOf(clock)
    const over = () => {
      if (current === begun) current = undefined
    }
    const begun: Promise<void> = work().then(over, over)
    current = begun
    callHook(waitUntil, begun)
    return begun
  }
  const join = () => {
    const begun = underWay()
    return ENDS_WITH_ITS_REQUEST && begun ? lookUntilOver(begun) : begun
  }
  return { beganAt: () => beganAt, isLost, isUnderWay: () => underWay() !== undefined, begin, join }
}
