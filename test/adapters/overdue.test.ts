import { expect, it, onTestFinished, vi } from 'vitest'

/** A new copy of the module, with nothing to settle. Its timers and its clock move only when advanced. */
function settleAnew(): Promise<typeof import('../../adapters/kit/settle.ts')> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  vi.resetModules()
  return import('../../adapters/kit/settle.ts')
}

it('what is overdue is told once, never early, and within a second', async () => {
  const { expectEnd } = await settleAnew()
  const startedAt = performance.now()
  const told: { readonly dueAfter: number; readonly lateBy: number }[] = []
  for (const dueAfter of [0, 1, 50, 999, 1000, 1001, 2500, 60_000]) {
    const dueAt = startedAt + dueAfter
    expectEnd({ dueAt, tellOverdue: () => told.push({ dueAfter, lateBy: performance.now() - dueAt }) })
    vi.advanceTimersByTime(7) // so that they start at different points of the sweep
  }
  vi.advanceTimersByTime(120_000)
  expect(told.map(({ dueAfter }) => dueAfter)).toEqual([0, 1, 50, 999, 1000, 1001, 2500, 60_000])
  for (const { lateBy } of told) {
    expect(lateBy).toBeGreaterThanOrEqual(0)
    expect(lateBy).toBeLessThanOrEqual(1000)
  }
})

it('what has ended is not told, and nothing keeps a timer when all is over', async () => {
  const { ended, expectEnd } = await settleAnew()
  const told: string[] = []
  const dueAt = performance.now() + 1500
  const [over, open] = ['over', 'open'].map((name) => ({ dueAt, tellOverdue: () => told.push(name) }))
  for (const due of [over, open]) if (due) expectEnd(due)
  vi.advanceTimersByTime(1400)
  if (over) ended(over)
  vi.advanceTimersByTime(1100)
  expect(told).toEqual(['open'])
  expect(vi.getTimerCount()).toBe(0)
})
