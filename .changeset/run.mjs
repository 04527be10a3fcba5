#!/usr/bin/env node
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const HELP = `Usage: node .changeset/run.mjs status|version|add

Runs a command of changesets (Node 22.11 or newer) on this package. It is installed by test/suites/package/package-lock.json
and without install scripts. With \`version\`, the package's own package-lock.json follows.`

const [command = '--help', ...options] = process.argv.slice(2)
if (command === '--help') {
  console.log(HELP)
  process.exit()
}

const tools = fileURLToPath(new URL('../test/suites/package/', import.meta.url))
const manifest = new URL('../package.json', import.meta.url)
const root = new URL('..', import.meta.url)

const INSTALL = [
  'npm',
  'ci',
  '--prefix',
  tools,
  '--no-workspaces',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
]

/** The text of a step that failed is on the terminal. */
function run(...[program, ...args]) {
  return spawnSync(program, args, { cwd: root, stdio: 'inherit' }).status ?? 1
}

const installed = run(...INSTALL)
if (installed !== 0) process.exit(installed)

// Where there are workspaces changesets looks at them only, and not at the package around them.
const before = readFileSync(manifest, 'utf8')
const { workspaces: _, ...alone } = JSON.parse(before)
writeFileSync(manifest, JSON.stringify(alone, null, 2))
process.exitCode = run(process.execPath, `${tools}node_modules/@changesets/cli/bin.js`, command, ...options)
const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
writeFileSync(manifest, before.replace(/^ {2}"version": ".*"/m, `  "version": "${version}"`))
if (command === 'version' && process.exitCode === 0) {
  process.exitCode = run('npm', 'install', '--package-lock-only', '--ignore-scripts')
}
