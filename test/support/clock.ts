/** A clock that stands still until it is advanced. Starts in 2026. */
export interface FakeClock {
  now(): number
  advance(milliseconds: number): void
  advanceSeconds(seconds: number): void
  /** Unix seconds. */
  seconds(): number
}

export function fakeClock(startMs = 1_790_000_000_000): FakeClock {
  let time = startMs
  return {
    now: () => time,
    advance: (milliseconds) => {
      time += milliseconds
    },
    advanceSeconds: (seconds) => {
      time += seconds * 1000
    },
    seconds: () => Math.floor(time / 1000),
  }
}
