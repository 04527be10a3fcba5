import { rmSync } from 'node:fs'
import { expect, inject, it, onTestFinished } from 'vitest'
import { killsOf } from '../../../test/support/kills.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../../../test/support/postgres-server.ts'
import { copyOfPostgres, urlOf } from '../support/copies.ts'
import { onSeededPGlite } from '../support/pglite-folder.ts'
import { killService } from './kill-service.ts'

// `node service/test/kill.mjs` runs the same at full size.

function settings(): Record<string, string> {
  const seeded = onSeededPGlite()
  onTestFinished(() => rmSync(seeded.SERVICE_DATA, { recursive: true, force: true }))
  return { ...seeded, SERVICE_JOB_LEASE_SECONDS: '2' }
}

const NOTHING_WRONG = { lost: 0, twice: 0, other: 0, explanations: [] }

it('each accepted event runs exactly once on PGlite, though the service is killed', async () => {
  const counts = await killService({
    settings: settings(),
    processes: 1,
    kills: killsOf('service'),
    senders: 8,
  })
  expect(counts).toMatchObject(NOTHING_WRONG)
  expect(counts.runs).toBe(counts.events)
  expect(counts.effects).toBe(2 * counts.events)
  expect(counts.unanswered).toBeGreaterThan(0)
}, 400_000)

it.skipIf(WHY_NO_POSTGRES)(
  onPostgres('two processes on Postgres that are killed give every accepted event one run and one effect'),
  async () => {
    const url = urlOf(await copyOfPostgres(inject('postgresFolder')))
    const shared = { ...settings(), SERVICE_DATABASE_URL: url }
    const counts = await killService({
      settings: shared,
      processes: 2,
      kills: killsOf('serviceOnPostgres'),
      senders: 8,
    })
    expect(counts).toMatchObject(NOTHING_WRONG)
    expect(counts.runs).toBe(counts.events)
    expect(counts.effects).toBe(2 * counts.events)
    expect(counts.unanswered).toBeGreaterThan(0)
  },
  400_000,
)
