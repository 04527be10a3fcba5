import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { textOf } from '../../../src/lib/member-of.ts'
import { type Finding, fail, ok, skip, warn } from './finding.ts'

/** As `engines` of package.json: since these versions, `require()` loads ES modules. */
const isSupported = (major: number, minor: number) =>
  (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22

/** Checks the version of Node, and the project's own copy of this package. */
export async function checkRuntime(
  folder: string = process.cwd(),
  version: string = process.versions.node,
): Promise<Finding[]> {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const supports = isSupported(major, minor)
  const runtime = supports
    ? ok(`Node ${version}`)
    : fail(
        `Node ${version} is not supported: its require() loads no ES module, such as hookgate`,
        'install Node 22.12 or newer, or 20.19 of Node 20',
      )
  return [runtime, await checkCopy(folder, supports)]
}

async function checkCopy(folder: string, supports: boolean): Promise<Finding> {
  const require = createRequire(join(folder, 'package.json'))
  const own = versionIn(fileURLToPath(import.meta.resolve('hookgate/package.json')))
  let theirs: string
  try {
    theirs = versionIn(require.resolve('hookgate/package.json'))
  } catch {
    return skip('hookgate is not installed in this folder', 'run this in your project, to check its copy')
  }
  if (own !== theirs) {
    return warn(
      `this is hookgate ${own}, and this folder has ${theirs}`,
      'run npx --no-install hookgate doctor',
    )
  }
  if (!supports) return skip('needs a supported Node', 'see the version of Node')
  try {
    const imported = await import(pathToFileURL(require.resolve('hookgate')).href)
    if (require('hookgate').verify === imported.verify) return ok(`hookgate ${own}: require and import agree`)
    return warn('require and import load two copies of hookgate', 'use only one of the two')
  } catch (error) {
    if (textOf(error, 'code') === 'ERR_REQUIRE_ESM')
      return warn(
        'require() loads no ES module here, such as hookgate: Node was told so',
        'remove --no-experimental-require-module from NODE_OPTIONS and the command, or use import',
      )
    return fail('hookgate cannot be loaded from this folder', 'run npm ci')
  }
}

function versionIn(manifest: string): string {
  return String(JSON.parse(readFileSync(manifest, 'utf8')).version)
}
