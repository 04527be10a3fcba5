import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { killDuring, raceProcesses, raceRenewals } from '../support/store-processes.ts'

// The short form. `node test/support/race.mjs postgres` runs the long one.
const ROUNDS = 10
const KILLS = 27
const MINUTE_MS = 60_000

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
    timeout: MINUTE_MS,
  }, async ({ signal }) => {
    const counts = await killDuring({ ...choice(signal), kills: KILLS, leaseMs: 300 })
    expect(counts).toMatchObject({ kills: KILLS, lost: 0, runTwiceAfterCommit: 0, takenEarly: 0 })
  })

  it('one of 200 deliveries to 8 processes opens a transaction, and the others wait for nothing', {
    timeout: MINUTE_MS,
  }, async ({ signal }) => {
    const race = { processes: 8, deliveries: 200, rounds: ROUNDS }
    const chosen = choice(signal, { transaction: 'per event' })
    expect(await raceProcesses({ ...chosen, ...race })).toStrictEqual(Array(ROUNDS).fill(1))
  })

  it.for([
    { mode: 'two-phase', transaction: true },
    { mode: 'single', transaction: true },
    { mode: 'two-phase', transaction: 'per event' },
    { mode: 'single', transaction: 'per event' },
  ])(
    'an event in one transaction with its record takes effect exactly once, whenever its process is killed: %j',
    { timeout: MINUTE_MS },
    async (config, { signal }) => {
      const counts = await killDuring({ ...choice(signal, config), kills: KILLS, leaseMs: MINUTE_MS })
      expect(counts).toMatchObject({ kills: KILLS, lost: 0, runTwiceAfterCommit: 0, effectRepeated: 0 })
    },
  )
})
