import { expect, it, onTestFinished, vi } from 'vitest'
import { inTime } from '../../src/inbox/records.ts'

it.each([
  ['counts if it came while the process was busy until then', 1],
  ['is too late if it comes after that', 2],
])('an answer that is read after its timer is due %s', async (_what, turns) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked = (async () => {
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    return 'the answer'
  })()
  const answered = inTime(asked, 10_000)
  vi.advanceTimersByTime(10_000)
  const outcome = turns === 1 ? 'the answer' : 'the inbox got no answer within 10000 ms'
  await expect(answered.catch(({ message }) => message)).resolves.toBe(outcome)
})
