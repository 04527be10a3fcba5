import { describe, expect, it } from 'vitest'
import { nextDelay } from '../../src/sender/index.ts'

const again = { outcome: 'again' } as const
const HOUR = 3_600_000
const DAY = 24 * HOUR
const middle = { random: () => 0.5 }

describe('nextDelay', () => {
  it('nextDelay waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, and then no more', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempts) => nextDelay(attempts, again, middle))
    const minutes = [5 / 60, 5, 30, 120, 300, 600, 600].map((count) => count * 60_000)
    expect(delays).toEqual([...minutes, undefined, undefined])
  })

  it('nextDelay varies each wait by up to a fifth either way', () => {
    expect(nextDelay(1, again, { random: () => 0 })).toBe(4000)
    expect(nextDelay(1, again, { random: () => 0.9999999 })).toBe(6000)
    const seen = Array.from({ length: 100 }, () => nextDelay(2, again))
    expect(new Set(seen).size).toBeGreaterThan(50)
    expect(Math.min(...seen.map(Number))).toBeGreaterThanOrEqual(240_000)
    expect(Math.max(...seen.map(Number))).toBeLessThanOrEqual(360_000)
  })

  it('nextDelay waits at least as long as Retry-After and the schedule', () => {
    expect(nextDelay(1, { ...again, retryAfterMs: 60_000 }, middle)).toBe(60_000)
    expect(nextDelay(2, { ...again, retryAfterMs: 60_000 }, middle)).toBe(300_000)
  })

  it.each(['done', 'never', 'gone'] as const)('no attempt follows one that is %s', (outcome) => {
    expect(nextDelay(1, { outcome })).toBeUndefined()
  })

  it('nextDelay never plans an attempt later than 7 days after the first', () => {
    const late = { ...again, retryAfterMs: DAY }
    expect(nextDelay(7, late, { elapsedSeconds: (6 * DAY - 60_000) / 1000 })).toBe(DAY)
    expect(nextDelay(7, late, { elapsedSeconds: (6 * DAY - 59_999) / 1000 })).toBeUndefined()
    expect(nextDelay(7, again, { ...middle, elapsedSeconds: (6.9 * DAY) / 1000 })).toBeUndefined()
  })

  it('nextDelay assumes the longest waits if you do not pass the elapsed time', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((attempts) =>
      nextDelay(attempts, { ...again, retryAfterMs: DAY }),
    )
    expect(waits).toEqual([DAY, DAY, DAY, DAY, DAY, DAY, undefined])
  })

  it.each([0, -1, 1.5, Number.NaN])('nextDelay is undefined for %f attempts', (attempts) => {
    expect(nextDelay(attempts, again)).toBeUndefined()
  })
})
