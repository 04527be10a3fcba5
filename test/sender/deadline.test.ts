import { expect, it, onTestFinished, vi } from 'vitest'
import { deliver } from '../../src/sender/index.ts'
import { Log } from '../support/log.ts'
import { LOOPBACK, rawEndpoint } from './endpoint.ts'

const EVENT = { id: crypto.randomUUID(), body: '{}' }
const SECRET = 'sender-0123456789-abcdefghijklmnop'

it('a sender gives up after 15 seconds by default', async () => {
  const received = new Log<string>()
  const url = await rawEndpoint(() => received.add('received'))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const ended = new Log<unknown>()
  void deliver({ url, secret: SECRET }, EVENT, { agents: LOOPBACK }).then((attempt) => ended.add(attempt))
  await received.reaches(1)
  await vi.advanceTimersByTimeAsync(14_999)
  expect(ended.entries).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  await ended.reaches(1)
  expect(ended.entries).toMatchObject([{ outcome: 'again', reason: 'timed_out' }])
})
