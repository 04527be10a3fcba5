import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dynamodbStore } from '../../src/stores/dynamodb/store.ts'
import { DynamodbServer } from '../support/dynamodb-server.ts'
import { storeKills } from '../support/kills.ts'
import { killDuring, raceProcesses, raceRenewals } from '../support/store-processes.ts'

// The short form. `npm run test:kills` kills more often, and `node test/support/race.mjs` runs 100 rounds of 1,000 deliveries.
const { kills, firstKill } = storeKills('dynamodb')

describe('with real processes, on dynalite', () => {
  let server: DynamodbServer
  beforeAll(async () => {
    server = await DynamodbServer.start()
    await dynamodbStore(server.client()).migrate()
  })
  afterAll(() => server.close())

  const subject = () => ({ subject: 'dynamodb', config: { port: server.port } })

  it('8 processes that claim one event 200 times at once get it once, in each of 5 rounds', async ({
    signal,
  }) => {
    const size = { processes: 8, rounds: 5, deliveries: 200 }
    expect(await raceProcesses({ ...subject(), ...size, signal })).toEqual(Array(5).fill(1))
  }, 60_000)

  it('a lease that is renewed by one process as it lapses, and claimed by three, has one owner', async ({
    signal,
  }) => {
    const race = { processes: 4, rounds: 10, leaseMs: 200 }
    const counts = await raceRenewals({ ...subject(), ...race, signal })
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
