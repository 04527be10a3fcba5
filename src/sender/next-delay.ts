import { RETENTION_SECONDS } from '../limits.ts'
import { type Judgement, LONGEST_MS } from './judge.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** The delays between eight attempts, 27.6 hours in total. */
const SCHEDULE_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
]

const JITTER = 0.2

/** The options of `nextDelay`. */
export interface NextDelayOptions {
  /** The time since the first attempt, in seconds. Defaults to the longest that these attempts can have taken. */
  readonly elapsedSeconds?: number | undefined
  /** Returns a number from 0 up to 1, for the jitter. Defaults to `Math.random`. */
  readonly random?: (() => number) | undefined
}

/**
 * Returns the delay before the next attempt, in milliseconds: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, with 20 %
 * jitter, and at least `retryAfterMs`. Undefined if you should stop: the outcome was not `again`, eight attempts were
 * made, or the next attempt would come more than 7 days after the first, when the receiver may have forgotten the
 * event.
 *
 * @example
 * ```ts
 * const delayMs = nextDelay(attempts, await deliver(endpoint, event))
 * if (delayMs !== undefined) await queue.add('deliver', event, { delay: delayMs })
 * ```
 *
 * @param attempts the number of attempts so far, at least 1
 * @param attempt the result of `deliver` or `judge` for the last attempt
 */
export function nextDelay(
  attempts: number,
  attempt: Pick<Judgement, 'outcome' | 'retryAfterMs'>,
  { elapsedSeconds = ((attempts - 1) * LONGEST_MS) / SECOND_MS, random = Math.random }: NextDelayOptions = {},
): number | undefined {
  const planned = SCHEDULE_MS[attempts - 1]
  if (attempt.outcome !== 'again' || planned === undefined) return undefined
  const jittered = Math.round(planned * (1 - JITTER + 2 * JITTER * random()))
  const delayMs = Math.max(jittered, attempt.retryAfterMs ?? 0)
  return elapsedSeconds * SECOND_MS + delayMs > RETENTION_SECONDS * SECOND_MS - MINUTE_MS
    ? undefined
    : delayMs
}
