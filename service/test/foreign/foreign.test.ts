import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, inject, it, onTestFinished } from 'vitest'
import { onPostgres, WHY_NO_POSTGRES } from '../../../test/support/postgres-server.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { ServiceProcess } from '../processes/service-process.ts'
import { copyOfPostgres, urlOf } from '../support/copies.ts'
import { onSeededPGlite } from '../support/pglite-folder.ts'

const CLIENT = fileURLToPath(new URL('client.mjs', import.meta.url))
/** How many shapes the client has. */
const SHAPES = [...readFileSync(CLIENT, 'utf8').matchAll(/^ {2}'.+ \(.+\)': async \(/gm)].length

/** What the client prints about a service with these settings. @param prepare Runs before the client. */
async function judged(
  settings: Readonly<Record<string, string>>,
  prepare = async () => {},
): Promise<string[]> {
  const seeded = onSeededPGlite()
  const service = new ServiceProcess({ ...seeded, SERVICE_ALLOW_PRIVATE_JWKS: 'on', ...settings })
  onTestFinished(async () => {
    await service.kill('SIGTERM')
    rmSync(seeded.SERVICE_DATA, { recursive: true, force: true })
  })
  await service.start()
  await prepare()
  const { stdout } = await promisify(execFile)(process.execPath, [
    CLIENT,
    service.origin,
    service.token,
  ]).catch(
    (failure) => failure, // it exits 1, and its output says why
  )
  return String(stdout).trimEnd().split('\n')
}

it('a foreign client imports nothing but Node’s own modules', () => {
  const imported = [...readFileSync(CLIENT, 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)].map(
    ([, name]) => name,
  )
  expect(imported.length).toBeGreaterThan(3)
  expect(imported.filter((name) => !name?.startsWith('node:'))).toEqual([])
})

it('a foreign client finds each shape as specified, on PGlite', async () => {
  const lines = await judged({})
  expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([])
  expect(lines).toHaveLength(SHAPES)
}, 120_000)

it.skipIf(WHY_NO_POSTGRES)(
  onPostgres(
    'a foreign client finds each shape as specified, on Postgres, also beside a task from a later version',
  ),
  async () => {
    const address = await copyOfPostgres(inject('postgresFolder'))
    const lines = await judged({ SERVICE_DATABASE_URL: urlOf(address) }, async () => {
      const database = openPostgres(address, () => {})
      await database.query("UPDATE tasks SET origin = 'TASK_ORIGIN_OF_LATER' WHERE numeric_id = 4")
      await database.close()
    })
    expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([])
    expect(lines).toHaveLength(SHAPES)
    expect(lines).toContainEqual(
      expect.stringMatching(/outside the listed sets .*: 1 of \d+ tasks have one$/),
    )
  },
  120_000,
)
