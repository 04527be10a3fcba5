import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const PLATFORM = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

const node = (major) => ({
  engine: 'node',
  binary: `${here}node_modules/node${major}-${PLATFORM}/bin/node`,
  arguments: [],
})

/** Each runtime: its engine, the path of its binary, and the arguments before the script. */
export const RUNTIMES = {
  node20: node(20),
  node22: node(22),
  node24: node(24),
  node26: node(26),
  bun: { engine: 'bun', binary: `${here}node_modules/.bin/bun`, arguments: ['--bun'] },
  deno: { engine: 'deno', binary: `${here}node_modules/.bin/deno`, arguments: ['run', '-A'] },
  workerd: { engine: 'workerd', binary: `${here}node_modules/.bin/workerd`, arguments: [] },
}

/** Installs the binaries if any is missing. Nothing else in the repository needs them. */
export function installRuntimes(names) {
  if (names.every((name) => existsSync(RUNTIMES[name].binary))) return
  console.log('Installing the runtimes (about 1 GB, once)')
  // By the lock file, without changing it. `npm ci` would refuse a lock without the binaries of other systems, and some of
  // those are not available everywhere.
  const quiet = ['--no-audit', '--no-fund', '--loglevel', 'error']
  execFileSync('npm', ['install', '--no-save', ...quiet], { cwd: here, stdio: 'inherit' })
  const missing = names.filter((name) => !existsSync(RUNTIMES[name].binary))
  if (missing.length > 0) throw new Error(`npm has no ${missing.join(', ')} for ${PLATFORM}`)
}

export function versionOf(name) {
  const { binary, engine } = RUNTIMES[name]
  const said = execFileSync(binary, ['--version'], { encoding: 'utf8' })
  return `${engine} ${/\d[\d.-]+/.exec(said)?.[0]}`
}
