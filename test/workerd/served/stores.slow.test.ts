import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KILL_TIMES, killsOf } from '../../support/kills.ts'
import { raceProcesses, raceRenewals } from '../../support/store-processes.ts'
import { inWorkerd, WHY_NO_WORKERD } from '../project.ts'
import { killWorkerd } from './kills.ts'
import { startWorkerd, type WorkerdServer } from './workerd-server.ts'

const ENGINES = ['durable-object', 'd1'] as const
const RETENTION_MS = 3_600_000

// The short form. race.mjs runs 100 rounds of 1,000 deliveries and 500 kills.
describe.skipIf(WHY_NO_WORKERD)(
  inWorkerd('the stores of Cloudflare, in a workerd with its storage on disk'),
  () => {
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
      const newKey = () => ({ listenerId: 'L1', eventId: randomUUID() })
      const ask = async (verb: string, key: object, owner: string, ms: number, signal?: AbortSignal) => {
        const body = JSON.stringify({ engine, verb, key, owner, ms })
        const response = await fetch(workerd.url, { method: 'POST', body, signal: signal ?? null })
        return response.json()
      }

      it('4 processes that claim one event 100 times at once get it once, in each of 5 rounds', async ({
        signal,
      }) => {
        const config = { url: workerd.url, engine }
        const race = { subject: 'workerd', config, processes: 4, rounds: 5, deliveries: 100, signal }
        expect(await raceProcesses(race)).toEqual([1, 1, 1, 1, 1])
      }, 120_000)

      it('a lease that is renewed by one process as it lapses, and claimed by three, has one owner', async ({
        signal,
      }) => {
        const config = { url: workerd.url, engine }
        const race = { subject: 'workerd', config, processes: 4, rounds: 5, leaseMs: 200, signal }
        const counts = await raceRenewals(race)
        expect(counts).toStrictEqual({ ...counts, wrong: 0 })
      }, 120_000)

      it('a store that is killed and restarted knows finished events and leases', async () => {
        const [done, running] = [newKey(), newKey()]
        expect(await ask('claim', done, 'a', 60_000)).toBe('acquired')
        expect(await ask('commit', done, 'a', RETENTION_MS)).toBe('committed')
        expect(await ask('claim', running, 'a', 1000)).toBe('acquired')
        expect(await ask('renew', running, 'a', 600_000)).toBe(true)
        await workerd.kill()
        await expect(ask('claim', newKey(), 'b', 60_000)).rejects.toThrow()
        workerd = await startWorkerd(folder)
        expect(await ask('claim', done, 'b', 60_000)).toBe('done')
        expect(await ask('claim', running, 'b', 60_000)).toBe('busy')
        expect(await ask('renew', running, 'b', 60_000)).toBe(false)
        expect(await ask('renew', running, 'a', 60_000)).toBe(true)
        expect(await ask('renew', done, 'a', 60_000)).toBe(false)
        expect(await ask('commit', running, 'a', RETENTION_MS)).toBe('committed')
        expect(await ask('claim', newKey(), 'b', 60_000)).toBe('acquired')
      }, 60_000)

      it('a store that is paused answers nothing, and then continues', async () => {
        const key = newKey()
        workerd.signal('SIGSTOP')
        await expect(ask('claim', key, 'a', 60_000, AbortSignal.timeout(300))).rejects.toThrow()
        workerd.signal('SIGCONT')
        expect(await ask('claim', key, 'a', 60_000)).toBe('acquired')
        expect(await ask('claim', key, 'b', 60_000)).toBe('busy')
      }, 60_000)
    })

    it(
      'a workerd killed between claim and answer loses no event, and runs none after its commit',
      async () => {
        const kills = killsOf('workerd')
        const elsewhere = await mkdtemp(join(tmpdir(), 'hookgate-workerd-'))
        try {
          const counts = await killWorkerd({
            folder: elsewhere,
            engines: ENGINES,
            kills,
            deliveries: 3,
            leaseMs: 2000,
          })
          const right = { kills, deliveries: 3 * kills, lost: 0, runTwiceAfterCommit: 0, takenEarly: 0 }
          expect(counts).toMatchObject({ 'durable-object': right, d1: right })
        } finally {
          await rm(elsewhere, { recursive: true })
        }
      },
      240_000 * KILL_TIMES,
    )
  },
)
