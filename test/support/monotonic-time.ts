import { onTestFinished, vi } from 'vitest'

const SECOND = 1000

/** The process's monotonic clock, which you can put ahead: leases end without a wait, and never because the machine is busy. */
export interface MonotonicTime {
  /** Time passes at once. What is due is seen at the next real timer: within a second, for a lease. */
  pass(seconds: number): void
}

/** Puts the clock back after the test. */
export function monotonicTime(): MonotonicTime {
  const real = performance.now.bind(performance)
  let aheadMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + aheadMs)
  onTestFinished(() => clock.mockRestore())
  return {
    pass(seconds) {
      aheadMs += seconds * SECOND
    },
  }
}
