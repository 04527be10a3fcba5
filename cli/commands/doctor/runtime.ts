import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Finding, fail, ok, skip, warn } from './finding.ts'

const OLDEST = [20, 19] as const

/** Checks the version of Node, and the project's own copy of this package. */
export async function checkRuntime(
  folder: string = process.cwd(),
  version: string = process.versions.node,
): Promise<Finding[]> {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])
  const runtime = isOld
    ? fail(`Node ${version} is older than ${OLDEST.join('.')}`, 'install a supported version of Node')
    : ok(`Node ${version}`)
  return [runtime, await checkCopy(folder)]
}

async function checkCopy(folder: string): Promise<Finding> {
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
  try {
    const imported = await import(pathToFileURL(require.resolve('hookgate')).href)
    if (require('hookgate').verify === imported.verify) return ok(`hookgate ${own}: require and import agree`)
    return warn('require and import load two copies of hookgate', 'use only one of the two')
  } catch {
    return fail('hookgate cannot be loaded from this folder', 'run npm ci')
  }
}

function versionIn(manifest: string): string {
  return String(JSON.parse(readFileSync(manifest, 'utf8')).version)
}
