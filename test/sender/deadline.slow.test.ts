import { expect, it } from 'vitest'
import { deliver } from '../../src/sender/index.ts'
import { LOOPBACK, rawEndpoint } from './endpoint.ts'

const EVENT = { id: crypto.randomUUID(), body: '{}' }
const SECRET = 'sender-0123456789-abcdefghijklmnop'

it('a sender gives up after 15 seconds by default', async () => {
  const url = await rawEndpoint(() => {})
  const startedAt = performance.now()
  const attempt = await deliver({ url, secret: SECRET }, EVENT, { agents: LOOPBACK })
  expect(attempt).toMatchObject({ outcome: 'again', reason: 'timed_out' })
  const seconds = (performance.now() - startedAt) / 1000
  expect(seconds).toBeGreaterThan(14.9)
  expect(seconds).toBeLessThan(17) // allows for a busy machine
}, 30_000)
