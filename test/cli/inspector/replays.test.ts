import { once } from 'node:events'
import { createServer } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Inspected } from '../../../cli/inspector/inspected.ts'
import { Replays } from '../../../cli/inspector/replays.ts'
import { portOf } from '../../../cli/listen/server.ts'

const LONGEST_APP_TIMEOUT_MS = 3_600_000

test('a replay waits as long as --timeout lets the app work', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const replays = new Replays()
  const outcome = {} as Inspected // passed on as it is
  const server = createServer(async ({ socket }) => {
    vi.advanceTimersByTime(LONGEST_APP_TIMEOUT_MS)
    await setImmediate() // a replay that gave up would be gone now
    replays.of(socket)?.resolve(outcome)
  })
  onTestFinished(() => {
    vi.useRealTimers()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const request = { method: 'POST', headers: {}, body: '{}' } as const
  const sent = replays.send(`http://127.0.0.1:${portOf(server)}/`, request, { origin: 1, rerun: undefined })
  expect(await sent).toBe(outcome)
})
