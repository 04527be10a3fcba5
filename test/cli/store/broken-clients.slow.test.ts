import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Found } from '../commands/doctor/support.ts'
import { type Ended, installPackage, run, temporaryDirectory } from '../support.ts'

interface Installed {
  readonly name: string
  readonly version?: string
  /** Its code. None: it is incomplete. */
  readonly code?: string
}

/** A project with the built package and one client, which stands in for one that a machine cannot use, and says what that says. */
async function projectWith({
  name,
  version = '99.0.0',
  code,
}: Installed): Promise<{ main: string; cwd: string }> {
  const cwd = await temporaryDirectory()
  const own = await installPackage(cwd)
  const client = join(cwd, 'node_modules', name)
  await mkdir(client)
  await writeFile(join(client, 'package.json'), JSON.stringify({ name, version, main: 'index.js' }))
  if (code !== undefined) await writeFile(join(client, 'index.js'), code)
  await writeFile(join(cwd, 'events.db'), '')
  await chmod(join(cwd, 'events.db'), 0o600)
  return { main: join(own, 'dist/cli/main.js'), cwd }
}

function runIn({ main, cwd }: { main: string; cwd: string }, args: readonly string[]): Promise<Ended> {
  return run(process.execPath, [main, ...args], { cwd, env: { HOOKGATE_SECRET: 'x'.repeat(43) } })
}

const throwing = (message: string, code = '') =>
  `module.exports = class { constructor() { throw Object.assign(new Error(${JSON.stringify(message)}), { code: '${code}' }) } }`

const NOT_BUILT = throwing('Could not locate the bindings file. Tried:\n → build/better_sqlite3.node')
const OTHER_NODE = throwing(
  "The module 'better_sqlite3.node'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 108.",
  'ERR_DLOPEN_FAILED',
)

it.each<readonly [url: string, installed: Installed, seen: string, fix: string]>([
  [
    'sqlite:events.db',
    { name: 'better-sqlite3', code: NOT_BUILT },
    'better-sqlite3 is installed, but not built: its install script did not run, or failed',
    'npm rebuild better-sqlite3; with npm 12, npm install-scripts approve better-sqlite3 first',
  ],
  [
    'sqlite:events.db',
    { name: 'better-sqlite3', code: OTHER_NODE },
    'better-sqlite3 is installed, but built for another version of Node',
    'npm rebuild better-sqlite3',
  ],
  [
    'sqlite:events.db',
    {
      name: 'better-sqlite3',
      code: throwing('better_sqlite3.node: invalid ELF header', 'ERR_DLOPEN_FAILED'),
    },
    'better-sqlite3 is installed, but built for another system',
    'npm rebuild better-sqlite3',
  ],
  [
    'sqlite:events.db',
    { name: 'libsql', code: "require('@libsql/linux-x64-gnu')" },
    'libsql is installed, but not its binary for this system',
    'npm install libsql --include=optional, on this system',
  ],
  [
    'postgres://127.0.0.1:1/db',
    { name: 'pg', code: "require('pg-types')" },
    'pg is installed, but not a package that it needs',
    'npm install pg',
  ],
  [
    'postgres://127.0.0.1:1/db',
    { name: 'pg', version: '7.18.2', code: '' },
    'pg 7.18.2 is too old',
    'npm install pg@latest',
  ],
  [
    'postgres://127.0.0.1:1/db',
    { name: 'postgres', code: "throw new Error('needs a newer Node\\nand more')" },
    'postgres is installed, but cannot be used: needs a newer Node',
    'npm install postgres@latest',
  ],
  ['mysql://127.0.0.1:1/db', { name: 'mysql2' }, 'mysql2 is installed, but incomplete', 'npm install mysql2'],
  [
    'mysql://127.0.0.1:1/db',
    { name: 'mariadb', version: '2.5.6', code: '' },
    'mariadb 2.5.6 is too old',
    'npm install mariadb@latest',
  ],
  [
    'redis://127.0.0.1:1',
    { name: 'ioredis', version: '3.2.2', code: '' },
    'ioredis 3.2.2 is too old',
    'npm install ioredis@latest',
  ],
  [
    'redis://127.0.0.1:1',
    { name: 'redis', code: 'exports.createClient = 1' },
    'redis is installed, but cannot be used: createClient is not a function',
    'npm install redis@latest',
  ],
])('for %s, the doctor says what is wrong with %j', async (url, installed, seen, fix) => {
  const project = await projectWith(installed)
  const { stdout } = await runIn(project, ['doctor', '--json', '--store', url])
  const { findings }: { findings: readonly Found[] } = JSON.parse(stdout)
  // Where Node has SQLite itself, the client may be one that nobody uses.
  const status = url.startsWith('sqlite:') && process.getBuiltinModule('node:sqlite') ? 'warn' : 'fail'
  expect(findings).toContainEqual({ id: 'store', status, seen, fix })
})

it('hookgate listen says so too, and does not start', async () => {
  const project = await projectWith({ name: 'pg', version: '7.18.2', code: '' })
  const { code, stderr } = await runIn(project, ['listen', '--store', 'postgres://127.0.0.1:1/db'])
  expect(stderr).toContain(
    'hookgate listen: --store postgres://127.0.0.1:1: pg 7.18.2 is too old: npm install pg@latest',
  )
  expect(code).toBe(1)
})
