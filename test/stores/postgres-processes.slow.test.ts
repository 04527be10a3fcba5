import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeKills } from '../support/kills.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { killDuring, raceProcesses, raceRenewals } from '../support/store-processes.ts'

// The short form. `npm run test:kills` kills more often, and `node test/support/race.mjs postgres` runs the long one.
const ROUNDS = 10
const MINUTE_MS = 60_000
const PATIENCE_MS = MINUTE_MS + storeKills('postgres').kills * 2000

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('postgresStore in many processes'), () => {
  let server: PostgresServer

  beforeAll(async () => {
    server = await PostgresServer.start()
  })

  afterAll(() => server?.remove())

  const choice = (signal: AbortSignal, config: object = {}) => ({
    subject: 'postgres',
    config: { connection: server.address, ...config },
    signal,
  })

  it('exactly one of 200 deliveries to 8 processes is accepted, each round', {
    timeout: MINUTE_MS,
  }, async ({ signal }) => {
    const race = { processes: 8, deliveries: 200, rounds: ROUNDS }
    expect(await raceProcesses({ ...choice(signal), ...race })).toStrictEqual(Array(ROUNDS).fill(1))
  })

  it('a lease that is renewed by one process as it lapses, and claimed by three, has one owner', {
    timeout: MINUTE_MS,
  }, async ({ signal }) => {
    const counts = await raceRenewals({ ...choice(signal), processes: 4, rounds: ROUNDS })
    expect(counts).toStrictEqual({ ...counts, wrong: 0 })
  })

  it('an event whose process was killed is neither lost nor run again after its commit', {
    timeout: PATIENCE_MS,
  }, async ({ signal }) => {
    const counts = await killDuring({ ...choice(signal), ...storeKills('postgres'), leaseMs: 300 })
    expect(counts).toMatchObject({
      kills: storeKills('postgres').kills,
      lost: 0,
      runTwiceAfterCommit: 0,
      takenEarly: 0,
    })
  })

  it('an event in one transaction with its effect takes effect exactly once, whenever its process is killed', {
    timeout: PATIENCE_MS,
  }, async ({ signal }) => {
    const { kills, firstKill } = storeKills('postgres', 1)
    const chosen = choice(signal, { transaction: true })
    const counts = await killDuring({ ...chosen, kills, firstKill, leaseMs: 300 })
    expect(counts).toMatchObject({ kills, lost: 0, runTwiceAfterCommit: 0, effectRepeated: 0 })
  })
})
