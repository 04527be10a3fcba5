const HELP = `Compares hookgate with a second implementation in Python on generated deliveries.

Usage: node test/oracle/run.mjs [options]

  --cases N        how many deliveries at least (100000)
  --seed N         of the first batch; the next has N + 1 (1)
  --batch N        deliveries in one batch (10000)
  --crypto BUILD   node or web (node)

Needs python3 with the package cryptography. The seed repeats every choice; only the signatures of ES256 differ from
run to run. Exits 1 when the two disagree, 2 when it cannot run.`

import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runnerImport } from 'vite'

const text = (value) => ({ type: 'string', default: value })
const { values } = parseArgs({
  options: {
    cases: text('100000'),
    seed: text('1'),
    batch: text('10000'),
    crypto: text('node'),
    help: { type: 'boolean' },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
const [cases, firstSeed, batch] = [values.cases, values.seed, values.batch].map(Number)
if (![cases, firstSeed, batch].every(Number.isSafeInteger) || batch < 1) refuse('N is a whole number')
if (!['node', 'web'].includes(values.crypto)) refuse('--crypto is node or web')

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const config = {
  configFile: false,
  resolve: { alias: { '#crypto': path(`../../src/crypto/${values.crypto}.ts`) } },
}
const { compareBatch } = (await runnerImport(path('compare.ts'), config)).module
const { findPython } = (await runnerImport(path('oracle.ts'), config)).module

const python = findPython()
if (python === undefined) refuse('there is no python3 with the package cryptography')

const began = performance.now()
const tally = new Map()
let compared = 0
let disagreements = 0
for (let seed = firstSeed; compared < cases; seed++) {
  const result = await compareBatch(python, seed, batch)
  compared += result.cases
  disagreements += result.disagreements.length
  for (const [answer, count] of result.tally) tally.set(answer, (tally.get(answer) ?? 0) + count)
  for (const disagreement of result.disagreements.slice(0, 5)) console.log(JSON.stringify(disagreement))
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(`seed ${seed}: ${compared} of ${cases} cases, ${disagreements} disagreements (${seconds} s)`)
}
for (const [answer, count] of [...tally].sort(([, a], [, b]) => b - a))
  console.log(`${count}`.padStart(9), answer)
process.exit(disagreements === 0 ? 0 : 1)

function refuse(problem) {
  console.error(`${problem}; see --help`)
  process.exit(2)
}
