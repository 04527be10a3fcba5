import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT, run } from '../../cli/support.ts'

const NODE = process.env.NODE24_BINARY ?? 'node'
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')

interface Report {
  readonly success: boolean
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

/** Runs the repository's tests on Node 24, which has node:sqlite, and returns the names of those that passed. */
async function namesOfPassed(...filters: string[]): Promise<string[]> {
  const args = [VITEST, 'run', '--project', 'node', '--project', 'rest', '--reporter=json', ...filters]
  const { stdout } = await run(NODE, args, { cwd: ROOT })
  const report: Report = JSON.parse(stdout)
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  expect(tests.filter(({ status }) => status === 'failed')).toEqual([])
  expect(report.success).toBe(true)
  return tests.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName)
}

it('node:sqlite does what all SQLite clients do: contract, outages, races and kills', {
  timeout: 600_000,
}, async () => {
  const passed = await namesOfPassed('test/stores/sqlite')
  expect(passed.filter((name) => name.startsWith('node:sqlite: ')).length).toBeGreaterThanOrEqual(34 + 10)
  expect(passed).toContainEqual(expect.stringMatching(/node:sqlite: eight processes on one file /))
})

it('hookgate listen --store sqlite:FILE needs no package on Node 24', { timeout: 300_000 }, async () => {
  const passed = await namesOfPassed('test/cli/store/store.slow.test.ts', '-t', 'sqlite:FILE')
  expect(passed).toContainEqual(expect.stringContaining('two listeners share it'))
})
