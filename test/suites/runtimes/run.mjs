const HELP = `Runs hookgate's tests on every runtime, and prints a table.

Usage: npm run test:runtimes -- [options]

  --only LIST      runtimes, suites, or cells: node24,deno  package  bun/logic   (default: all)
  --without LIST   the same, left out
  --help           this text

  Runtimes: node20 node22 node24 node26 bun deno workerd
  Suites:   logic     the tests of everything but stores' engines, packaging and the command line
            wire      the adapters' matrix over sockets, reply by reply (Hono and hookgate/web elsewhere than on Node)
            package   the packed tarball, installed in an empty project
            types     the examples of hookgate/web, with the platform's own types

The binaries are npm packages (test/suites/runtimes/package.json), installed when they are missing.
Exits 1 when anything failed.`

import { parseArgs } from 'node:util'
import { packProject } from './package/project.mjs'
import { installRuntimes, RUNTIMES, versionOf } from './runtimes.mjs'
import { SUITES } from './suites.mjs'

const { values } = parseArgs({
  options: { only: { type: 'string' }, without: { type: 'string' }, help: { type: 'boolean' } },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}

const cells = selectCells()
const runtimes = Object.keys(RUNTIMES).filter((runtime) => cells.some((cell) => cell.runtime === runtime))
const suites = Object.keys(SUITES).filter((suite) => cells.some((cell) => cell.suite === suite))
installRuntimes(runtimes)
const project = suites.includes('package') ? await packProject() : undefined
const results = new Map()
try {
  for (const { runtime, suite, name } of cells) {
    process.stdout.write(`${name.padEnd(16)} …\n`)
    const startedAt = performance.now()
    const result = await SUITES[suite].run({ runtime, project })
    results.set(name, result)
    for (const failure of result.failures) console.log(`  ✗ ${failure}`)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    process.stdout.write(`${name.padEnd(16)} ${shown(result)} in ${seconds} s\n`)
  }
} finally {
  await project?.close()
}

const table = [
  ['runtime', ...suites],
  ...runtimes.map((runtime) => [
    versionOf(runtime),
    ...suites.map((suite) => shown(results.get(`${runtime}/${suite}`))),
  ]),
]
const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)))
console.log()
for (const row of table) console.log(row.map((text, column) => text.padEnd(widths[column])).join('  '))
process.exitCode = [...results.values()].some(({ failed }) => failed > 0) ? 1 : 0

function selectCells() {
  const only = values.only?.split(',')
  const without = values.without?.split(',') ?? []
  const all = Object.keys(RUNTIMES).flatMap((runtime) =>
    Object.keys(SUITES)
      .filter((suite) => SUITES[suite].runsOn(runtime))
      .map((suite) => ({ runtime, suite, name: `${runtime}/${suite}` })),
  )
  const known = new Set(all.flatMap(({ runtime, suite, name }) => [runtime, suite, name]))
  const unknown = [...(only ?? []), ...without].filter((word) => !known.has(word))
  if (unknown.length > 0) {
    console.error(`There is no ${unknown.join(', ')}; see --help`)
    process.exit(2)
  }
  const fits = (words) => (cell) => words.some((word) => Object.values(cell).includes(word))
  return all.filter((cell) => (!only || fits(only)(cell)) && !fits(without)(cell))
}

function shown(result) {
  if (result === undefined) return '-'
  const { passed, failed, skipped } = result
  const words = [`${passed} passed`, failed && `${failed} FAILED`, skipped && `${skipped} skipped`]
  return words.filter(Boolean).join(', ')
}
