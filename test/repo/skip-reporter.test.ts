import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { run } from '../cli/support.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const reporter = new URL('../support/skip-reporter.ts', import.meta.url)

const CONFIG = `
import { reportSkips } from ${JSON.stringify(reporter.pathname)}
const project = (name) => ({ plugins: [reportSkips()], test: { name, include: ['*.test.js'] } })
export default { test: { projects: [project('one'), project('two')] } }
`

/** The lines that `vitest run` writes to stderr about these tests. */
async function report(tests: string, ...args: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(root, 'node_modules/.skips-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'vitest.config.ts'), CONFIG)
  writeFileSync(join(folder, 'a.test.js'), `import { it } from 'vitest'\n${tests}`)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const ended = await run(process.execPath, [vitest, 'run', '--root', folder, ...args], { cwd: folder })
  expect(ended.code).toBe(0)
  return ended.stderr
}

const SKIPPED = `
const WHY_NO_REDIS = 'none here'
it('runs', () => {})
it.skipIf(WHY_NO_REDIS)('needs Redis', () => {})
it.skip('needs PHP (skipped: it is not installed)', () => {})
it('needs a terminal', (test) => test.skip('this is none'))
`

it.each([
  ['by itself', []],
  [
    'with the reporters of the gate',
    ['--reporter=default', '--reporter=json', '--outputFile.json=report.json'],
  ],
])('a run %s ends with each skipped test and its reason', async (_, args) => {
  expect(await report(SKIPPED, '--project', 'one', ...args)).toBe(
    [
      '\n3 skipped:',
      '  a.test.js > needs Redis: skipIf(WHY_NO_REDIS)',
      '  a.test.js > needs PHP: it is not installed',
      '  a.test.js > needs a terminal: this is none\n',
    ].join('\n'),
  )
})

it('several projects are reported once', async () => {
  expect(await report(SKIPPED)).toMatch(/^\n6 skipped:\n(?: {2}a\.test\.js > .*\n){6}$/)
})

it('nothing is printed if nothing is skipped', async () => {
  expect(await report("it('runs', () => {})")).toBe('')
})
