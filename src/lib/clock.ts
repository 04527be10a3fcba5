/**
 * A source of time in milliseconds. The default is usually `Date`.
 *
 * @example
 * ```ts
 * const clock: Clock = { now: () => 1_700_000_000_000 }
 * ```
 */
export interface Clock {
  /** The time now. */
  now(): number
}
