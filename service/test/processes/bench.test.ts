import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { onPostgres, WHY_NO_POSTGRES } from '../../../test/support/postgres-server.ts'

/** Runs a bench in its smallest form. Its figures say nothing then, and it may exit with 1 for a low one. */
async function bench(name: string, ...options: string[]): Promise<string> {
  const file = fileURLToPath(new URL(`../../bench/${name}`, import.meta.url))
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file, ...options]).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  return `${stdout}${stderr}`
}

it('the bench of pages measures both lists, on each engine that is there', async () => {
  const said = await bench('pages.mjs', '--rounds', '1', '--size', '1000')
  const engines = WHY_NO_POSTGRES === undefined ? ['PGlite', 'Postgres'] : ['PGlite']
  expect(said.match(/^\w+(?=, Node )/gm)).toStrictEqual(engines)
  expect(said.match(/entitlements: 1060 in all; first .* last \/ first \d/g)).toHaveLength(engines.length)
  expect(said.match(/tasks: 104 in all; first .* last \/ first \d/g)).toHaveLength(engines.length)
}, 120_000)

it.skipIf(WHY_NO_POSTGRES)(
  onPostgres('the bench of webhooks compares the service with the bare framework'),
  async () => {
    const said = await bench('webhooks.mjs', '--rounds', '1', '--requests', '8', '--connections', '2')
    expect(said).toMatch(/service \/ bare +\d+ % of the throughput/)
  },
  120_000,
)

it.skipIf(WHY_NO_POSTGRES)(
  onPostgres('the bench of runs tells how many end a second, and how long another automation waits'),
  async () => {
    const said = await bench('runs.mjs', '--waiting', '150', '--seconds', '1')
    expect(said).toMatch(
      /150 waiting: \d+ runs a second end; the run of another automation ends after \d+ ms/,
    )
  },
  120_000,
)
