import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT, run } from '../cli/support.ts'

const NODE = process.env.NODE24_BINARY ?? 'node'
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')

/** Runs tests of the repository on Node 24, which has node:sqlite, and tells their names. */
async function namesOfPassed(...filters: string[]): Promise<string[]> {
  const args = [VITEST, 'run', '--project', 'node', '--reporter=json', ...filters]
  const { code, stdout, stderr } = await run(NODE, args, { cwd: ROOT })
  expect([code, stderr]).toEqual([0, expect.anything()])
  const report: { testResults: { assertionResults: { status: string; fullName: string }[] }[] } =
    JSON.parse(stdout)
  return report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed')
    .map(({ fullName }) => fullName)
}

it('node:sqlite does what all SQLite clients do: contract, outages, races and kills', {
  timeout: 600_000,
}, async () => {
  const passed = await namesOfPassed('test/stores/sqlite')
  expect(passed.filter((name) => name.startsWith('node:sqlite: ')).length).toBeGreaterThanOrEqual(34 + 10)
  expect(passed).toContainEqual(expect.stringMatching(/node:sqlite: eight processes on one file D06 D07/))
})

it('hookgate listen --store sqlite:FILE needs no package there', { timeout: 300_000 }, async () => {
  const passed = await namesOfPassed('test/cli/store.test.ts', '-t', 'sqlite:FILE')
  expect(passed).toContainEqual(expect.stringContaining('two listeners share it'))
})
