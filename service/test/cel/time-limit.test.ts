import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { TimeLimitError, withinMilliseconds } from '../../src/cel/time-limit.ts'

it('gives what the work gives, and throws what it throws', () => {
  expect(withinMilliseconds(1_000, () => 'done')).toBe('done')
  expect(() => withinMilliseconds(1_000, () => JSON.parse('nonsense'))).toThrow(SyntaxError)
})

it('stops work that uses up its time', () => {
  const forever = () => {
    for (;;);
  }
  expect(() => withinMilliseconds(50, forever)).toThrow(TimeLimitError)
})

it('work that was kept from its time by others begins anew', () => {
  let attempts = 0
  const starved = () => {
    attempts += 1
    if (attempts < 3) execFileSync('sleep', ['0.3']) // time passes, and this process uses none of it
    return 'done'
  }
  expect(withinMilliseconds(100, starved)).toBe('done')
  expect(attempts).toBe(3)
})
