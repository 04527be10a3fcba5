import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { run } from '../cli/support.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const reporter = new URL('../support/run-reporter.ts', import.meta.url)

const CONFIG = `
import { reportRun } from ${JSON.stringify(reporter.pathname)}
const project = (name) => ({ plugins: [reportRun()], test: { name, include: ['*.test.js'], isolate: false, pool: 'threads' } })
export default { test: { maxWorkers: 1, projects: [project('one'), project('two')] } }
`

/** Runs `vitest run` on files of tests, given by name. */
async function report(files: { readonly [name: string]: string }, ...args: readonly string[]) {
  const folder = mkdtempSync(join(root, 'node_modules/.skips-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'vitest.config.ts'), CONFIG)
  for (const [name, tests] of Object.entries(files)) {
    writeFileSync(join(folder, name), `import { it } from 'vitest'\n${tests}`)
  }
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  return await run(process.execPath, [vitest, 'run', '--root', folder, ...args], { cwd: folder })
}

const RUNS = "it('runs', () => {})\n"
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
  const { code, stderr } = await report({ 'a.test.js': SKIPPED }, '--project', 'one', ...args)
  expect(code).toBe(0)
  expect(stderr).toBe(
    [
      '\n3 skipped:',
      '  a.test.js > needs Redis: skipIf(WHY_NO_REDIS)',
      '  a.test.js > needs PHP: it is not installed',
      '  a.test.js > needs a terminal: this is none\n',
    ].join('\n'),
  )
})

it('several projects are reported once', async () => {
  const { stderr } = await report({ 'a.test.js': SKIPPED })
  expect(stderr).toMatch(/^\n6 skipped:\n(?: {2}a\.test\.js > .*\n){6}$/)
})

it('a skip without a reason fails the run', async () => {
  const { code, stderr } = await report({ 'a.test.js': `${RUNS}it.skip('does not', () => {})` })
  expect(stderr).toContain('a.test.js > does not: no reason given')
  expect(code).toBe(1)
})

it('nothing is printed if nothing is skipped', async () => {
  expect(await report({ 'a.test.js': RUNS })).toMatchObject({ code: 0, stderr: '' })
})

it('tests that are not chosen by name count as no skips', async () => {
  expect(await report({ 'a.test.js': SKIPPED }, '-t', 'runs')).toMatchObject({ code: 0, stderr: '' })
})

it('a run of many files ends with the ten slowest', async () => {
  const names = Array.from({ length: 11 }, (_, index) => `quick-${index}.test.js`)
  const slow = "it('waits', () => new Promise((done) => setTimeout(done, 1000)))"
  const files = { 'slow.test.js': slow, ...Object.fromEntries(names.map((name) => [name, RUNS])) }
  const { stderr } = await report(files, '--project', 'one')
  const [title, first, ...rest] = stderr.trim().split('\n')
  expect(title).toBe('slowest files:')
  expect(first).toMatch(/ s \(imports \d+\.\d\) slow\.test\.js$/)
  expect(rest).toHaveLength(9)
})
