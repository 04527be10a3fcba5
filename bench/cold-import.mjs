// node bench/cold-import.mjs [--rounds N] [--node path] [--folder path] [--json]
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { least, median, ratio } from './rounds.mjs'

const HELP = `node bench/cold-import.mjs [options]

Compares a process that imports hookgate with one that imports an empty module. In each
round every variant is a new process, in rotating order. Measures CPU time from the process's start to the end
of its imports. Run "npm run build" first.

Options:
  --rounds N     measured rounds (default 31)
  --node path    another Node (default: this one)
  --folder path  another project with hookgate installed (default: this one)
  --json         print the ratios to the floor as JSON
  --help         show this help
`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '31' },
    node: { type: 'string', default: process.execPath },
    folder: { type: 'string', default: fileURLToPath(new URL('.', import.meta.url)) },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit()
}

const node = resolve(values.node)

const EMPTY = 'data:text/javascript,'
const FLOOR = 'an empty module'

/** The imports of each process, in order. */
const VARIANTS = {
  [FLOOR]: [EMPTY],
  'the same and node:crypto': [EMPTY, 'node:crypto'],
  hookgate: ['hookgate'],
  'hookgate, hookgate/jwt': ['hookgate', 'hookgate/jwt'],
}

const program = (specifiers) => `
  for (const specifier of ${JSON.stringify(specifiers)}) await import(specifier)
  const { user, system } = process.cpuUsage()
  console.log((user + system) / 1000)`

function start(specifiers) {
  const args = ['--input-type=module', '--eval', program(specifiers)]
  return Number(execFileSync(node, args, { cwd: values.folder, encoding: 'utf8' }))
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

function table() {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  const rows = names.map((name) => {
    const [fastest, middle] = [least(cpu, name), median(cpu.get(name))].map((ms) => ms.toFixed(1))
    return `| ${name} | ${fastest} | ${middle} | ${ratio(cpu, name, FLOOR).toFixed(2)} |`
  })
  const head =
    '| a process that imports | CPU ms, least | median | ratio to the floor |\n|---|---:|---:|---:|'
  return `Node ${version}, ${values.rounds} rounds\n\n${head}\n${rows.join('\n')}`
}

const ratios = () => JSON.stringify(Object.fromEntries(names.map((name) => [name, ratio(cpu, name, FLOOR)])))
console.log(values.json ? ratios() : table())
