import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeKills } from '../support/kills.ts'
import { type MysqlServer, startMysql, WHY_NO_MYSQL } from '../support/mariadb-server.ts'
import { killDuring, raceProcesses } from '../support/store-processes.ts'

// The short form. `npm run test:kills` kills more often, and `node test/support/race.mjs mysql` is the long one.
const ROUNDS = 10
const MINUTE_MS = 60_000
const PATIENCE_MS = MINUTE_MS + storeKills('mysql', 1).kills * 2000

describe.skipIf(WHY_NO_MYSQL)('mysqlStore in many processes', () => {
  let server: MysqlServer

  beforeAll(async () => {
    server = await startMysql()
  })

  afterAll(() => server?.remove())

  const choice = (signal: AbortSignal, config: object = {}) => ({
    subject: 'mysql',
    config: { connection: server.address, ...config },
    signal,
  })

  it('exactly one of 200 deliveries to 8 processes is accepted, each round', {
    timeout: MINUTE_MS,
  }, async ({ signal }) => {
    const race = { processes: 8, deliveries: 200, rounds: ROUNDS }
    const acceptances = await raceProcesses({ ...choice(signal), ...race })
    expect(acceptances).toStrictEqual(Array(ROUNDS).fill(1))
  })

  it('an event whose process was killed is neither lost nor run again after its commit', {
    timeout: PATIENCE_MS,
  }, async ({ signal }) => {
    const counts = await killDuring({ ...choice(signal), ...storeKills('mysql'), leaseMs: 300 })
    expect(counts).toMatchObject({
      kills: storeKills('mysql').kills,
      lost: 0,
      runTwiceAfterCommit: 0,
      takenEarly: 0,
    })
  })

  it('an event in one transaction with its effect takes effect exactly once, whenever its process is killed', {
    timeout: PATIENCE_MS,
  }, async ({ signal }) => {
    const { kills, firstKill } = storeKills('mysql', 1)
    const chosen = choice(signal, { transaction: true })
    const counts = await killDuring({ ...chosen, kills, firstKill, leaseMs: 300 })
    expect(counts).toMatchObject({ kills, lost: 0, runTwiceAfterCommit: 0, effectRepeated: 0 })
  })
})
