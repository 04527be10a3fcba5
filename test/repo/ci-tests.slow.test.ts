import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { run } from '../cli/support.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const CONFIG = `
const project = (name, include) => ({ test: { name, include, isolate: false, pool: 'threads', env: { PROJECT: name } } })
export default { test: { maxWorkers: 1, projects: [project('first', ['*.first.js']), project('one', ['*.rest.js']), project('two', ['*.rest.js'])] } }
`
const SCRIPTS = { test: "vitest run --project 'first'", 'test:rest': "vitest run --project '!first'" }

/** Enough that CI does not say that hardly any test ran. */
const MANY = "import { it } from 'vitest'\nit.each(Array(600).fill())('passes', () => {})"
const FAILING = "it('fails', () => { throw new Error('always') })"
const SKIPPED = "it.skip('is skipped', () => {})"
const UNHANDLED = "it('passes', async () => { void Promise.reject(new Error('nobody hears it')) })"
/** Fails the first time that it runs in this project. */
const flaky = (project = 'first') => `
import { appendFileSync, readFileSync } from 'node:fs'
const runs = import.meta.filename + '.runs'
appendFileSync(runs, process.env.PROJECT + ' ')
const isFirst = readFileSync(runs, 'utf8').split('${project} ').length === 2 && process.env.PROJECT === '${project}'
it('fails at first', () => {
  if (isFirst) throw new Error('not yet')
})
`
const FLAKY_HOOK = flaky().replace("it('fails at first', ", 'beforeAll(')

/** Runs `tools/ci/tests.mjs` on files of tests, given by name. */
async function gate(
  files: { readonly [name: string]: string },
  scripts: { readonly [name: string]: string } = SCRIPTS,
) {
  const folder = mkdtempSync(join(root, 'node_modules/.gate-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'vitest.config.ts'), CONFIG)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', scripts }))
  for (const [name, tests] of Object.entries({ 'many.first.js': MANY, 'many.rest.js': MANY, ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    const imports = name.endsWith('.js') ? "import { beforeAll, it } from 'vitest'\n" : ''
    writeFileSync(join(folder, name), imports + tests.replace(/^import { it }.*/, ''))
  }
  const summary = join(folder, 'summary')
  const { code, stdout, stderr } = await run(
    process.execPath,
    [join(root, 'tools/ci/tests.mjs'), summary, 'test', 'test:rest'],
    { cwd: folder },
  )
  const kept = existsSync(summary) ? readFileSync(summary, 'utf8') : ''
  return { code, folder, kept, last: stdout.trimEnd().split('\n').at(-1), output: stdout + stderr }
}

it('a run without a failure ends with the number of tests', async () => {
  expect(await gate({})).toMatchObject({ code: 0, kept: '1800 passed, 0 failed\n' })
})

it('a file that fails once is listed, and counted as it ended', async () => {
  const { code, kept } = await gate({ 'a.first.js': `${flaky()}it('passes', () => {})` })
  expect(code).toBe(0)
  expect(kept).toBe(
    [
      'flaky files, which failed once and passed alone: 1',
      '  first a.first.js',
      '    fails at first',
      '1802 passed, 0 failed\n',
    ].join('\n'),
  )
})

it('a file runs again in the project in which it failed', async () => {
  const { code, folder, kept } = await gate({ 'a.rest.js': flaky('two') })
  expect(code).toBe(0)
  expect(kept).toMatch(/: 1\n {2}two a\.rest\.js\n {4}fails at first\n1802 passed, 0 failed\n$/)
  const runs = readFileSync(join(folder, 'a.rest.js.runs'), 'utf8').trim().split(' ')
  expect(runs.toSorted()).toEqual(['one', 'two', 'two'])
})

it('a file runs again with the configuration of its workspace', async () => {
  const config =
    "export default { test: { name: 'inner', include: ['*.inner.js'], env: { PROJECT: 'inner' } } }"
  const files = { 'inner/vitest.config.ts': config, 'inner/a.inner.js': flaky('inner') }
  const { code, kept } = await gate(files, { ...SCRIPTS, 'test:rest': 'cd inner && vitest run' })
  expect(code).toBe(0)
  expect(kept).toMatch(/: 1\n {2}inner inner\/a\.inner\.js\n {4}fails at first\n601 passed, 0 failed\n$/)
})

it('a file whose hook fails once is listed, though vitest skips its tests', async () => {
  const { code, kept } = await gate({ 'a.first.js': `${FLAKY_HOOK}it('passes', () => {})` })
  expect(code).toBe(0)
  expect(kept).toMatch(/: 1\n {2}first a\.first\.js\n1801 passed, 0 failed\n$/)
})

it('two flaky files pass', async () => {
  const { code, kept } = await gate({ 'a.first.js': flaky(), 'a.rest.js': flaky('one') })
  expect(code).toBe(0)
  expect(kept).toMatch(/^flaky .*: 2\n/)
})

it.each([
  ['a file fails twice', { 'a.first.js': FAILING }, 'failed twice: first a.first.js'],
  ['a file cannot be loaded', { 'a.first.js': "import './missing.js'" }, 'failed twice: first a.first.js'],
  [
    'three files are flaky in one script',
    { 'a.first.js': flaky(), 'b.first.js': flaky(), 'c.first.js': flaky() },
    'too many files',
  ],
  [
    'three files are flaky in two scripts',
    { 'a.first.js': flaky(), 'b.first.js': flaky(), 'a.rest.js': flaky('one') },
    'too many files',
  ],
  ['a test is skipped', { 'a.rest.js': SKIPPED }, 'skipped: one a.rest.js: is skipped'],
  [
    'a flaky file skips a test when it runs alone',
    { 'a.first.js': `${flaky()}it.skipIf(!isFirst)('is skipped', () => {})` },
    'skipped: first a.first.js: is skipped',
  ],
  [
    'an error is unhandled beside a flaky file',
    { 'a.first.js': UNHANDLED, 'b.first.js': flaky() },
    'for another reason',
  ],
  [
    'its process dies',
    { 'a.first.js': "it('dies', () => process.kill(process.pid, 'SIGKILL'))" },
    'for another reason',
  ],
])('a run fails if %s', async (_, files, words) => {
  const { code, kept, last, output } = await gate(files)
  expect(output).toContain(words)
  expect([code, kept]).toEqual([1, ''])
  expect(last).toMatch(/^\d+ passed, [1-9]\d* failed$/)
})

const VITEST = `vitest run --project first "$@"`

it.each<[string, string, { readonly [name: string]: string }?]>([
  ['does not build', 'exit 2; #'],
  ['ends without a report', 'exit 0; #'],
  ['fails after its tests', `run() { ${VITEST}; exit 1; }; run`],
  ['crashes after a file failed', `run() { ${VITEST}; exit 134; }; run`, { 'a.first.js': flaky() }],
])('a run fails if a script %s', async (_, test, files = {}) => {
  const { code, kept, last, output } = await gate(files, { ...SCRIPTS, test })
  expect(output).toContain('for another reason')
  expect([code, kept]).toEqual([1, ''])
  expect(last).toMatch(/^\d+ passed, [1-9]\d* failed$/)
})

it('a run fails if hardly any test ran', async () => {
  const { code, output, last } = await gate({ 'many.first.js': '', 'many.rest.js': "it('passes', () => {})" })
  expect(output).toMatch(/hardly any|No test/)
  expect([code, last]).toEqual([1, expect.stringMatching(/ [1-9]\d* failed$/)])
})
