import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { memberOf, textOf } from '../../src/lib/member-of.ts'
import { RefusedError } from '../command-line/exit.ts'

/** No client can be used. Says what is so, and what to type. */
export class ClientError extends RefusedError {
  readonly seen: string
  readonly fix: string

  constructor(seen: string, fix: string, message: string = `${seen}: ${fix}`) {
    super(message)
    this.seen = seen
    this.fix = fix
  }
}

/** The first major versions that work as those of docs/runtimes.md. Older ones take callbacks, or other options. */
const OLDEST: { readonly [name: string]: number } = {
  ioredis: 4,
  redis: 4,
  pg: 8,
  postgres: 3,
  mysql2: 2,
  mariadb: 3,
  'better-sqlite3': 7,
}

const require = createRequire(import.meta.url)

/**
 * Finds the user's own package: from the working directory first, then beside this one.
 *
 * @throws ClientError if it is there, and cannot be used.
 */
export async function findModule(name: string): Promise<unknown> {
  if (name.startsWith('node:')) return process.getBuiltinModule(name)
  let path: string
  try {
    path = require.resolve(name, { paths: [process.cwd(), import.meta.dirname] })
  } catch (error) {
    // Only where the package is there, but not its code, does the error have the path of its manifest.
    if (textOf(error, 'code') !== 'MODULE_NOT_FOUND' || textOf(error, 'path') === undefined) return undefined
    throw new ClientError(`${name} is installed, but incomplete`, `npm install ${name}`)
  }
  const version = versionOf(name, path)
  if (Number.parseInt(version, 10) < (OLDEST[name] ?? 0)) {
    throw new ClientError(`${name} ${version} is too old`, `npm install ${name}@latest`)
  }
  try {
    const module = await import(pathToFileURL(path).href)
    return module.default ?? module
  } catch (error) {
    throw faultOf(name, error) ?? cannotBeLoaded(name, error)
  }
}

/** What is wrong with a package whose code threw this, if it is the package. */
export function faultOf(name: string, error: unknown): ClientError | undefined {
  const message = textOf(error, 'message') ?? ''
  const code = textOf(error, 'code')
  const rebuild = `npm rebuild ${name}`
  if (/NODE_MODULE_VERSION/.test(message)) {
    return new ClientError(`${name} is installed, but built for another version of Node`, rebuild)
  }
  if (code === 'ERR_DLOPEN_FAILED') {
    return new ClientError(`${name} is installed, but built for another system`, rebuild)
  }
  if (/bindings file|\.node'/.test(message)) {
    return new ClientError(
      `${name} is installed, but not built: its install script did not run, or failed`,
      `${rebuild}; with npm 12, npm install-scripts approve ${name} first`,
    )
  }
  if (name === 'libsql' && /'@libsql\//.test(message)) {
    return new ClientError(
      'libsql is installed, but not its binary for this system',
      'npm install libsql --include=optional, on this system',
    )
  }
  if (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND') {
    return new ClientError(`${name} is installed, but not a package that it needs`, `npm install ${name}`)
  }
  // The opener, which knows the versions of docs/runtimes.md, asked for something that this one does not have.
  if (/is not a (function|constructor)/.test(message)) return cannotBeLoaded(name, error)
  return undefined
}

function cannotBeLoaded(name: string, error: unknown): ClientError {
  const [reason = ''] = (textOf(error, 'message') ?? String(memberOf(error, 'code'))).split('\n')
  return new ClientError(`${name} is installed, but cannot be used: ${reason}`, `npm install ${name}@latest`)
}

/** The version of the package with this file. Empty if it does not say. */
function versionOf(name: string, path: string): string {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      if (textOf(manifest, 'name') === name) return textOf(manifest, 'version') ?? ''
    } catch {} // of a folder of the package, or none
  }
  return ''
}
