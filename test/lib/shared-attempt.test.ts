import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { sharedAttempt } from '../../src/lib/shared-attempt.ts'
import { IN_WORKERD } from '../support/runtime.ts'

const LONGEST_MS = 200

function attemptOf(work: () => Promise<void>) {
  const kept: Promise<unknown>[] = []
  const attempt = sharedAttempt(work, LONGEST_MS, Date, (promise) => kept.push(promise))
  return { attempt, kept }
}

it('is joined while it is under way, and over for all at once', async () => {
  let end = () => {}
  const { attempt, kept } = attemptOf(() => new Promise((resolve) => (end = resolve)))
  expect(attempt.join()).toBeUndefined()
  const begun = attempt.begin()
  expect([attempt.begin(), attempt.isLost()]).toEqual([undefined, false])
  const joined = attempt.join()
  end()
  await Promise.all([begun, joined])
  expect([attempt.isLost(), attempt.join()]).toEqual([false, undefined])
  expect(kept).toEqual([begun])
})

it('is lost when it takes longer than it can, in workerd; elsewhere it is only late', async () => {
  const { attempt } = attemptOf(() => new Promise(() => {}))
  void attempt.begin()
  const joined = attempt.join()?.then(() => 'over')
  expect(await Promise.race([joined, pause(LONGEST_MS + 300, 'waits')])).toBe(IN_WORKERD ? 'over' : 'waits')
  expect(attempt.isLost()).toBe(IN_WORKERD)
  expect(attempt.begin() !== undefined).toBe(IN_WORKERD)
})
