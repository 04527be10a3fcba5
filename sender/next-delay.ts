import { RETENTION_SECONDS } from '../src/limits.ts'
import type { Judgement } from './judge.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Waits between eight attempts: 27.6 hours in all. */
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

/** The longest that one wait can be: what an attempt's `Retry-After` is clamped to. */
const LONGEST_MS = 24 * HOUR_MS

/**
 * The options of `nextDelay`.
 *
 * @see {@link nextDelay}
 */
export interface NextDelayOptions {
  /** Milliseconds since the first attempt. Default: the most that so many waits can take. */
  readonly elapsedMs?: number | undefined
  /** From 0 up to 1. Default: `Math.random`. */
  readonly random?: (() => number) | undefined
}

/**
 * How long to wait before the next attempt, in milliseconds: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, each give or take 20 %, and
 * not before `retryAfterMs`. Undefined when it is over: the attempt was not judged `again`, eight attempts are made, or the next one
 * would come later than 7 days after the first, when the receiver may have forgotten the event.
 *
 * @example
 * ```ts
 * const delayMs = nextDelay(attempts, await deliver(endpoint, event))
 * if (delayMs !== undefined) await queue.add('deliver', event, { delay: delayMs })
 * ```
 *
 * @param attempts how many attempts were made, from 1 on
 * @param attempt what `deliver` or `judge` said of the last one
 */
export function nextDelay(
  attempts: number,
  attempt: Pick<Judgement, 'outcome' | 'retryAfterMs'>,
  { elapsedMs = (attempts - 1) * LONGEST_MS, random = Math.random }: NextDelayOptions = {},
): number | undefined {
  const planned = SCHEDULE_MS[attempts - 1]
  if (attempt.outcome !== 'again' || planned === undefined) return undefined
  const jittered = Math.round(planned * (1 - JITTER + 2 * JITTER * random()))
  const delayMs = Math.max(jittered, attempt.retryAfterMs ?? 0)
  return elapsedMs + delayMs > RETENTION_SECONDS * SECOND_MS - MINUTE_MS ? undefined : delayMs
}
