import { createHmac, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inWorkerd, WHY_NO_WORKERD } from '../project.ts'
import { startWorkerd, type WorkerdServer } from './workerd-server.ts'

const ENGINES = ['durable-object', 'd1'] as const
const LEASE_MS = 1000

/** A delivery of GitHub, whose handler takes this long. */
function eventOf(ms: number): RequestInit & { readonly headers: Record<string, string> } {
  const body = JSON.stringify({ ms, nonce: randomUUID() })
  const signature = createHmac('sha256', 'the-secret-of-the-webhook').update(body).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${signature}`,
  }
  return { method: 'POST', body, headers }
}

describe.skipIf(WHY_NO_WORKERD)(inWorkerd('a handler in workerd that takes longer than its lease'), () => {
  let folder: string
  let workerd: WorkerdServer
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hookgate-workerd-'))
    workerd = await startWorkerd(folder)
  }, 60_000)
  afterAll(async () => {
    await workerd.kill()
    await rm(folder, { recursive: true })
  })

  describe.each(ENGINES)('%s', (engine) => {
    const send = async (event: RequestInit, more = '') =>
      fetch(new URL(`/worked?engine=${engine}&lease=${LEASE_MS / 1000}${more}`, workerd.url), event)
    const statusOf = async (event: RequestInit) => (await send(event)).status
    /** GitHub is answered 200 for a duplicate too. */
    const ran = async (event: RequestInit) => (await (await send(event)).text()).includes('isAborted')

    it('it keeps its event, although a request that began before it has ended', async () => {
      await statusOf(eventOf(0)) // starts the worker
      const [quick, long, other] = [eventOf(200), eventOf(5 * LEASE_MS), eventOf(5 * LEASE_MS)]
      const first = statusOf(quick)
      await sleep(50)
      const running = [send(long), send(other)]
      expect(await first).toBe(200)
      for (const _ of [1, 2]) {
        await sleep(LEASE_MS * 1.1)
        expect([await statusOf(long), await statusOf(other)]).toEqual([503, 503])
      }
      for (const answer of await Promise.all(running)) {
        expect([answer.status, await answer.json()]).toEqual([200, { isAborted: false, told: [] }])
      }
      expect([await ran(long), await ran(other)]).toEqual([false, false])
    }, 60_000)

    it('its signal is aborted after maxRunSeconds, and onError is told', async () => {
      const answer = await send(eventOf(3 * LEASE_MS), '&most=1.5')
      expect(await answer.json()).toEqual({
        isAborted: true,
        told: [expect.stringContaining('the handler ran longer than maxRunSeconds (1.5)')],
      })
    }, 60_000)

    it('it keeps its event if its sender hangs up, and commits', async () => {
      const event = eventOf(2.5 * LEASE_MS)
      await expect(send({ ...event, signal: AbortSignal.timeout(400) })).rejects.toThrow()
      await sleep(LEASE_MS * 1.2)
      expect(await statusOf(event)).toBe(503)
      await expect.poll(() => statusOf(event)).toBe(200)
      expect(await ran(event)).toBe(false)
    }, 60_000)
  })
})
