/**
 * Before `npm run test:peers`: installs the newest version of each SDK, and prints which senders have none. `HOOKGATE_PEERS=locked` keeps the
 * versions of the lock file, so that a commit has one verdict: CI does so, and prints what is newer.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { recipes } from '../../../tools/vectors/recipes.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const npm = (...args) =>
  execFileSync('npm', [...args, '--prefix', here], { encoding: 'utf8', timeout: 300_000 })

/** What is behind the registry. npm ends with 1 if anything is. */
function outdated() {
  try {
    return JSON.parse(npm('outdated', '--json') || '{}')
  } catch ({ status, stdout }) {
    if (status === 1 && stdout) return JSON.parse(stdout)
    console.log('The registry did not answer: the SDKs of the lock file run.')
    return {}
  }
}

/** Some registries call an older version the latest. */
const isNewer = ({ current, latest }) =>
  current !== undefined && latest.localeCompare(current, 'en', { numeric: true }) > 0

const sdks = new Set(recipes.flatMap(({ sdk }) => sdk ?? []))
const newer = Object.entries(outdated()).filter(([name, versions]) => sdks.has(name) && isNewer(versions))
for (const [name, { current, latest }] of newer) console.log(`${name} ${latest} is out. Locked: ${current}`)
if (newer.length > 0 && process.env.HOOKGATE_PEERS !== 'locked') {
  const wanted = newer.map(([name, { latest }]) => `${name}@${latest}`)
  npm('install', '--no-save', '--ignore-scripts', ...wanted)
  console.log('Installed them for this run. If it passes, save them, and make the vectors again.')
}

const names = readdirSync(new URL('../../../src/schemes/', import.meta.url))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -3))
const sdkOf = new Map(recipes.map(({ scheme, sdk }) => [scheme, sdk]))
const without = names.filter((name) => sdkOf.get(name) === undefined)
console.log(
  `${names.length - without.length} of ${names.length} senders are asked through an SDK. These have none: ${without.join(', ')}`,
)
