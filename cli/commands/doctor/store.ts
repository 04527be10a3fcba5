import { existsSync } from 'node:fs'
import { withDeadline } from '../../../src/lib/clock.ts'
import { callHook } from '../../../src/lib/hooks.ts'
import { isA } from '../../../src/lib/member-of.ts'
import { RefusedError, type UsageError } from '../../command-line/exit.ts'
import { printable } from '../../command-line/output.ts'
import { type OpenStore, openClient, reasonOf } from '../../store/clients.ts'
import { parseStoreUrl, type StoreUrl } from '../../store/url.ts'
import { type Finding, fail, ok, skip, warn } from './finding.ts'

const DEADLINE_MS = 4000
const SLOW_MS = 250
const CLOCK_MS = 30_000
/** Belongs to no real listener, so that its claim blocks no event. */
const LISTENER = 'hookgate doctor'

/** Checks that the store works. Leaves it as it was: creates no table, and releases what it claims. */
export async function checkStore(text: string | undefined, isOffline: boolean): Promise<Finding[]> {
  if (text === undefined) return [skip('no store was given', 'set HOOKGATE_STORE, or give --store URL')]
  let url: StoreUrl
  try {
    url = parseStoreUrl(text)
  } catch (error) {
    const [seen = '', fix = 'correct the URL'] = (error as UsageError).message.split(/: (.*)/, 2) // it throws no other
    return [fail(seen, fix)]
  }
  if (isOffline && url.engine !== 'sqlite') return [skip('the store is on the network', 'remove --offline')]
  if (url.engine === 'sqlite' && !existsSync(url.target)) {
    return [fail(`${url.shown} does not exist`, 'correct the path, or run await store.migrate() once')]
  }
  let opened: OpenStore | undefined
  try {
    opened = await openClient(url.engine, url.target, true)
    return await withDeadline(inspect(opened, url), DEADLINE_MS, () => new Error('no answer in time'))
  } catch (error) {
    if (isA(error, RefusedError)) return [fail('no client for this store is installed', error.message)]
    return [
      fail(
        `${url.shown}: ${reasonOf(opened?.complaint?.() ?? error, url)}`,
        'start the store, or correct --store: host, port, user, password',
      ),
    ]
  } finally {
    callHook(() => opened?.close())
  }
}

async function inspect(opened: OpenStore, url: StoreUrl): Promise<Finding[]> {
  const problems = await opened.store.check()
  const tried = await claimAndRelease(opened)
  const note = typeof tried === 'number' ? warn : fail
  const findings = problems.map(({ problem, fix }) =>
    note(`${url.shown}: ${printable(problem)}`, printable(fix)),
  )
  if (typeof tried !== 'number' && findings.length === 0) {
    findings.push(fail(`${url.shown}: ${reasonOf(tried, url)}`, 'let its user read and write'))
  }
  if (typeof tried === 'number' && tried > SLOW_MS) {
    findings.push(
      warn(`a claim and a release take ${Math.round(tried)} ms`, 'move the store closer to the receivers'),
    )
  }
  findings.push(...(await compareClocks(opened)))
  return findings.length > 0
    ? findings
    : [ok(`${url.shown} claims and releases, and check() found no problem`)]
}

/** Claims and releases a new event. Returns the time of both, in milliseconds, or their error. */
async function claimAndRelease({ store }: OpenStore): Promise<number | Error> {
  const key = { listenerId: LISTENER, eventId: crypto.randomUUID() }
  const owner = crypto.randomUUID()
  const startedAt = performance.now()
  try {
    await store.claim(key, owner, DEADLINE_MS)
    await store.release(key, owner)
    return performance.now() - startedAt
  } catch (error) {
    return isA(error, Error) ? error : new Error('it failed')
  }
}

/** Compares the store's clock with this one, allowing for the round trip. */
export async function compareClocks({ now }: Pick<OpenStore, 'now'>): Promise<Finding[]> {
  if (now === undefined) return []
  const before = Date.now()
  const theirs = await now()
  const apart = theirs < before ? before - theirs : Math.max(0, theirs - Date.now())
  if (!(apart > CLOCK_MS)) return []
  const seen = `the store's clock is ${Math.round(apart / 1000)} s ${theirs > before ? 'ahead of' : 'behind'} this one`
  return [warn(seen, 'set it with NTP, because leases depend on it')]
}
