import { expect, it } from 'vitest'
import { storeKills } from '../support/kills.ts'
import { CLIENTS, databaseFolder, describeEachClient, libsql } from '../support/sqlite-databases.ts'
import { commitInProcesses, killDuring, raceProcesses, raceRenewals } from '../support/store-processes.ts'

const newPath = databaseFolder()

/** A file in WAL mode that several processes share. */
async function meetingPlace(): Promise<string> {
  const path = newPath()
  const { sql, close } = libsql.open(path)
  await sql('PRAGMA journal_mode = WAL')
  close()
  return path
}

describeEachClient('eight processes on one file', (client) => {
  const { name } = client
  const { kills, firstKill } = storeKills('sqlite', CLIENTS.indexOf(client))

  it('one of 200 identical deliveries is accepted, round for round', { timeout: 60_000 }, async ({
    signal,
  }) => {
    const config = { client: name, path: await meetingPlace() }
    const race = { subject: 'sqlite', config, processes: 8, rounds: 10, deliveries: 200, signal }
    expect(await raceProcesses(race)).toStrictEqual(Array(10).fill(1))
  })

  it('a lease that is renewed by one of them as it lapses, and claimed by three, has one owner', {
    timeout: 60_000,
  }, async ({ signal }) => {
    const config = { client: name, path: await meetingPlace(), waitMs: 0 }
    const counts = await raceRenewals({ subject: 'sqlite', config, processes: 4, rounds: 10, signal })
    expect(counts).toStrictEqual({ ...counts, wrong: 0 })
  })

  it('no event is lost when they are killed, and none runs after its commit', {
    timeout: 60_000 + kills * 2000,
  }, async ({ signal }) => {
    const config = { client: name, path: await meetingPlace() }
    const counts = await killDuring({ subject: 'sqlite', config, kills, firstKill, leaseMs: 200, signal })
    expect(counts).toMatchObject({ kills, lost: 0, runTwiceAfterCommit: 0, takenEarly: 0 })
  })
})

describeEachClient('three processes on one file, none of which waits inside SQLite', ({ name }) => {
  it('an event that was answered `committed` is done for another process', { timeout: 60_000 }, async ({
    signal,
  }) => {
    const config = { client: name, path: await meetingPlace(), waitMs: 0 }
    const counts = await commitInProcesses({ subject: 'sqlite', config, processes: 3, events: 2000, signal })
    expect(counts).toMatchObject({ forgotten: 0 })
    expect(counts.committed).toBeGreaterThan(counts.undecided)
  })
})
