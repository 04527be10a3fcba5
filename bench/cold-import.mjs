// node bench/cold-import.mjs [--rounds N] [--node path]
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { least, median, ratio } from './rounds.mjs'

const HELP = `node bench/cold-import.mjs [options]

What it costs to start a process that imports hookgate, against one that imports an empty module and ipaddr.js. In each
round every variant is a fresh process, in an order that rotates; CPU time counts, from the process's start to the end
of its imports. Run "npm run build" first.

Options:
  --rounds N     rounds that count (default 31)
  --node path    another Node (default: this one)
  --help         this text
`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '31' },
    node: { type: 'string', default: process.execPath },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit()
}

const EMPTY = 'data:text/javascript,'
const FLOOR = 'an empty module and ipaddr.js'

/** What a process imports, one after the other. */
const VARIANTS = {
  'an empty module': [EMPTY],
  [FLOOR]: [EMPTY, 'ipaddr.js'],
  'the same and node:crypto': [EMPTY, 'ipaddr.js', 'node:crypto'],
  hookgate: ['hookgate'],
  'hookgate, hookgate/jwt': ['hookgate', 'hookgate/jwt'],
}

const program = (specifiers) => `
  for (const specifier of ${JSON.stringify(specifiers)}) await import(specifier)
  const { user, system } = process.cpuUsage()
  console.log((user + system) / 1000)`

function start(specifiers) {
  const args = ['--input-type=module', '--eval', program(specifiers)]
  return Number(execFileSync(values.node, args, { cwd: new URL('.', import.meta.url), encoding: 'utf8' }))
}

const names = Object.keys(VARIANTS)
const cpu = new Map(names.map((name) => [name, []]))
const WARM_UP = 3
for (let round = -WARM_UP; round < Number(values.rounds); round += 1) {
  for (let turn = 0; turn < names.length; turn += 1) {
    const name = names[(turn + round + WARM_UP) % names.length]
    const milliseconds = start(VARIANTS[name])
    if (round >= 0) cpu.get(name).push(milliseconds)
  }
}

const version = execFileSync(values.node, ['--version'], { encoding: 'utf8' }).trim()
console.log(`Node ${version}, ${values.rounds} rounds\n`)
console.log('| a process that imports | CPU ms, least | median | ratio to the floor |\n|---|---:|---:|---:|')
for (const name of names) {
  const cells = [
    least(cpu, name).toFixed(1),
    median(cpu.get(name)).toFixed(1),
    ratio(cpu, name, FLOOR).toFixed(2),
  ]
  console.log(`| ${name} | ${cells.join(' | ')} |`)
}
