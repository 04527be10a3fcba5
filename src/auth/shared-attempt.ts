import type { Clock } from '../listener-options.ts'

/**
 * On Cloudflare Workers what a request began ends with that request, without a word, and nobody else may count on its
 * promises. There whoever waits has to look.
 */
const ENDS_WITH_ITS_REQUEST: boolean = 'WebSocketPair' in globalThis // at every compatibility date, unlike `navigator`

/** Between two looks of a waiting request. */
const LOOK_MS = 20

/** Keeps what a request began alive when the request ends. */
export type WaitUntil = (work: Promise<unknown>) => void

/** One attempt at a time, for all who wait for it. */
export interface SharedAttempt {
  /** The last attempt is over without a result: the request that began it is. */
  isLost(): boolean
  /** By the clock; -Infinity before the first. */
  beganAt(): number
  /** Undefined while another is under way. */
  begin(): Promise<void> | undefined
  /** The wait for the attempt under way, if there is one. */
  join(): Promise<void> | undefined
}

/** @param work Never rejects, and settles within `longestMs`, unless it is lost. */
export function sharedAttempt(
  work: () => Promise<void>,
  longestMs: number,
  clock: Clock,
  waitUntil: WaitUntil | undefined,
): SharedAttempt {
  let current: Promise<void> | undefined
  let beganAt = -Infinity
  const isLost = () =>
    ENDS_WITH_ITS_REQUEST && current !== undefined && Math.abs(clock.now() - beganAt) >= longestMs
  const underWay = () => (isLost() ? undefined : current)
  const lookUntilOver = async (begun: Promise<void>) => {
    while (current === begun && !isLost()) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  const begin = () => {
    if (underWay()) return undefined
    const begun = work().finally(() => {
      if (current === begun) current = undefined
    })
    current = begun
    beganAt = clock.now()
    waitUntil?.(begun)
    return begun
  }
  const join = () => {
    const begun = underWay()
    return ENDS_WITH_ITS_REQUEST && begun ? lookUntilOver(begun) : begun
  }
  return { beganAt: () => beganAt, isLost, begin, join }
}
