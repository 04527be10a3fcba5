// Runs npm scripts that run vitest: node tools/ci/tests.mjs <file for the summary> <script>…
// A file that fails runs once more, alone, and is flaky if it passes then. Two flaky files are listed, three fail.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const MOST_FLAKY = 2
const FEWEST_TESTS = 500

const pathOf = (url) => fileURLToPath(new URL(url, import.meta.url))
const VITEST = pathOf('../../node_modules/vitest/vitest.mjs')
const REPORTERS = ['--reporter=default', `--reporter=${pathOf('./reporter.mjs')}`]

const [summaryFile, ...scripts] = process.argv.slice(2)
/** Each file as it ended last. */
const ended = []
/** Each flaky file as it ended first. */
const flaky = []
const skipped = new Set()

try {
  for (const script of scripts) runScript(script)
  if (skipped.size > 0) throw new Error('CI runs everything: no test may be skipped here')
  if (testsOf(ended).length < FEWEST_TESTS) throw new Error('hardly any test ran')
  writeFileSync(summaryFile, summary({ fewestFailed: 0 }))
} catch (error) {
  for (const line of skipped) console.error(line)
  console.error(`\n${error.message}`)
  // What fails a run need not be a test.
  process.stdout.write(summary({ fewestFailed: 1 }))
  process.exitCode = 1
}

function runScript(script) {
  const files = run('npm', ['run', script, '--', ...REPORTERS])
  const failed = files.filter(({ hasFailed }) => hasFailed)
  ended.push(...files.filter(({ hasFailed }) => !hasFailed))
  if (flaky.length + failed.length > MOST_FLAKY) {
    ended.push(...failed)
    throw new Error(['too many files failed to try them again:', ...failed.map(nameOf)].join('\n  '))
  }
  for (const file of failed) runAgain(file)
}

function runAgain(file) {
  console.log(`\nonce more, alone: ${nameOf(file)}`)
  const where = ['--root', file.root, '--config', file.config, '--project', file.project, file.path]
  const files = run(process.execPath, [VITEST, 'run', ...where, ...REPORTERS])
  ended.push(...files)
  if (files.length !== 1) throw new Error(`${files.length} files ran instead of ${nameOf(file)}`)
  if (files[0].hasFailed) throw new Error(`failed twice: ${nameOf(file)}`)
  flaky.push(file)
}

/** How each file of the run ended. Throws unless a failure is explained by files that failed. */
function run(command, args) {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-ci-'))
  const report = join(folder, 'report.json')
  try {
    const env = { ...process.env, HOOKGATE_REPORT: report }
    const { status } = spawnSync(command, args, { stdio: 'inherit', env })
    const { files, errors } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { files: [] }
    for (const file of files)
      for (const { name } of inState(file, 'skipped')) skipped.add(`skipped: ${nameOf(file)}: ${name}`)
    const isExplained = status === 1 && files.some(({ hasFailed }) => hasFailed)
    if (errors !== 0 || !(status === 0 || isExplained))
      throw new Error(`${args.slice(0, 2).join(' ')} failed (${status}) for another reason than its tests`)
    return files
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function summary({ fewestFailed }) {
  const tests = testsOf(ended)
  const passed = tests.filter(({ state }) => state === 'passed').length
  const failed = Math.max(tests.length - passed, fewestFailed)
  const list = flaky.flatMap((file) => [
    `  ${nameOf(file)}`,
    ...inState(file, 'failed').map(({ name }) => `    ${name}`),
  ])
  const title = flaky.length > 0 ? [`flaky files, which failed once and passed alone: ${flaky.length}`] : []
  return [...title, ...list, `${passed} passed, ${failed} failed\n`].join('\n')
}

function testsOf(files) {
  return files.flatMap(({ tests }) => tests)
}

function inState({ tests }, state) {
  return tests.filter((test) => test.state === state)
}

function nameOf({ project, path }) {
  return `${project} ${relative(process.cwd(), path)}`
}
