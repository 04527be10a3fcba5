import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeKills } from '../support/kills.ts'
import { onRedis, type RedisServer, startRedis, WHY_NO_REDIS } from '../support/redis-server.ts'
import {
  commitInProcesses,
  KILL_STEPS,
  killDuring,
  raceProcesses,
  raceRenewals,
} from '../support/store-processes.ts'

// The short form. `npm run test:kills` kills more often, and `node test/support/race.mjs` runs 100 rounds of 1,000 deliveries.
describe.skipIf(WHY_NO_REDIS)(onRedis('with real processes'), () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.close())

  describe.each([
    ['plain', {}, 0],
    ['compact', { layout: 'compact' }, 1],
  ])('%s', (_, options, part) => {
    const { kills, firstKill } = storeKills('redis', part)
    const subject = () => ({ subject: 'redis', config: { port: server.port, options } })

    it('8 processes that claim one event 200 times at once get it once, in each of 10 rounds', async ({
      signal,
    }) => {
      const size = { processes: 8, rounds: 10, deliveries: 200 }
      expect(await raceProcesses({ ...subject(), ...size, signal })).toEqual(Array(10).fill(1))
    }, 60_000)

    it('an event answered `committed` is done for another process', async ({ signal }) => {
      const counts = await commitInProcesses({ ...subject(), processes: 3, events: 500, signal })
      expect(counts).toStrictEqual({ committed: 1500, forgotten: 0, undecided: 0 })
    }, 60_000)

    it('a lease that is renewed by one process as it lapses, and claimed by three, has one owner', async ({
      signal,
    }) => {
      const counts = await raceRenewals({ ...subject(), processes: 4, rounds: 20, signal })
      expect(counts).toStrictEqual({ ...counts, wrong: 0 })
    }, 60_000)

    it(
      'no event of a killed process is lost, and none of them runs again after its commit',
      async ({ signal }) => {
        const counts = await killDuring({ ...subject(), kills, firstKill, leaseMs: 300, signal })
        expect(counts).toMatchObject({ kills, lost: 0, runTwiceAfterCommit: 0, takenEarly: 0 })
      },
      60_000 + kills * 2000,
    )
  })

  describe('a faulty store', () => {
    const faulty = (fault: string) => ({ subject: 'redis-faulty', config: { port: server.port, fault } })

    it('the harness notices a store that reads first and writes later', async ({ signal }) => {
      const size = { processes: 2, rounds: 3, deliveries: 100 }
      const acceptances = await raceProcesses({ ...faulty('looksFirst'), ...size, signal })
      expect(Math.max(...acceptances)).toBeGreaterThan(1)
    }, 60_000)

    it('the harness notices a store that renews what has lapsed', async ({ signal }) => {
      const counts = await raceRenewals({ ...faulty('renewsLate'), processes: 4, rounds: 10, signal })
      expect(counts.wrong).toBeGreaterThan(0)
    }, 60_000)

    it('the harness notices a store that answers `committed` and writes nothing', async ({ signal }) => {
      const subject = { ...faulty('forgetsCommits'), processes: 2, signal }
      await expect(raceProcesses({ ...subject, rounds: 1, deliveries: 2 })).rejects.toThrow('as acquired')
      const counts = await commitInProcesses({ ...subject, events: 500 })
      expect(counts).toStrictEqual({ committed: 1000, forgotten: 1000, undecided: 0 })
    }, 60_000)

    it.each([
      ['forgetsCommits', 'runTwiceAfterCommit', 'commit answered'],
      ['doneAtClaim', 'lost', 'claim answered'],
      ['ignoresLeases', 'takenEarly', 'claim answered'],
      ['neverRenews', 'takenEarly', 'renewal answered'],
    ] as const)(
      'the harness notices a store that %s',
      async (fault, count, step) => {
        const kills = { firstKill: 3 * KILL_STEPS.indexOf(step), kills: 1, leaseMs: 2000 }
        expect((await killDuring({ ...faulty(fault), ...kills }))[count]).toBeGreaterThan(0)
      },
      60_000,
    )
  })

  it('a subject that cannot be opened is reported, and leaves no process behind', async () => {
    const nothing = { subject: 'redis-faulty', config: { port: server.port, fault: 'none' } }
    const race = raceProcesses({ ...nothing, processes: 2, rounds: 1, deliveries: 2 })
    await expect(race).rejects.toThrow(/ended: .*not a function/s)
  })
})
