import { existsSync, statSync } from 'node:fs'
import { type EventStore, ListenerConfigError } from '../../../src/index.ts'
import { withDeadline } from '../../../src/lib/clock.ts'
import { callHook } from '../../../src/lib/hooks.ts'
import { isA } from '../../../src/lib/member-of.ts'
import type { UsageError } from '../../command-line/exit.ts'
import { printable } from '../../command-line/output.ts'
import { brokenClients, type OpenStore, openClient, reasonOf } from '../../store/clients.ts'
import { ClientError } from '../../store/installed.ts'
import type { FoundTable, OpenTable, Tables } from '../../store/tables.ts'
import { parseStoreUrl, type StoreUrl } from '../../store/url.ts'
import { type Finding, fail, ok, skip, warn } from './finding.ts'

const DEADLINE_MS = 4000
const SLOW_MS = 250
const CLOCK_MS = 30_000
/** Belongs to no real listener, so that its claim blocks no event. */
const LISTENER = 'hookgate doctor'

/** Which tables to check, and who may write to them. */
export interface StoreOptions {
  /** Or the prefix, in Redis. By default all that are found. */
  readonly table?: string | undefined
  readonly writers?: readonly string[] | undefined
}

/** Checks that the store works. Leaves it as it was: creates no table, and releases what it claims. */
export async function checkStore(
  text: string | undefined,
  isOffline: boolean,
  options: StoreOptions = {},
): Promise<Finding[]> {
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
    opened = await openClient(url.engine, url.target, { asItIs: true })
    return await withDeadline(
      inspect(opened, url, options),
      DEADLINE_MS,
      () => new Error('no answer in time'),
    )
  } catch (error) {
    if (isA(error, ClientError)) return [fail(error.seen, error.fix)]
    if (isA(error, ListenerConfigError)) return [fail(`--store-table ${error.message}`, 'correct the name')]
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

async function inspect(opened: OpenStore, url: StoreUrl, options: StoreOptions): Promise<Finding[]> {
  const { tables } = opened
  if (options.writers !== undefined && !tables.hasWriters)
    return [fail('--store-writer names roles of Postgres or MySQL', 'remove it')]
  const others = url.engine === 'sqlite' ? await brokenClients(url.engine) : []
  const findings = others.map(({ seen, fix }) => warn(seen, fix))
  if (url.engine === 'sqlite') findings.push(...checkFile(url))
  const found = await tables.find()
  const chosen = chooseFrom(found, options.table)
  for (const table of chosen)
    findings.push(...(await inspectTable(table, opened, url, { found, ...options })))
  if (chosen.length === MOST_TABLES)
    findings.push(skip(`more than ${MOST_TABLES} tables are not checked at once`, 'give --store-table NAME'))
  findings.push(...(await compareClocks(opened)))
  return findings
}

/** How many tables are checked if none is named. */
const MOST_TABLES = 8
const DEFAULT_TABLE = 'hookgate_events'

interface Chosen {
  readonly kind: FoundTable['kind']
  /** Undefined: the default of its engine, a table or a prefix. */
  readonly name: string | undefined
}

/** The table that is named, or all that this user can reach, or else the default, which is missing. */
function chooseFrom(found: readonly FoundTable[], name: string | undefined): readonly Chosen[] {
  if (name !== undefined)
    return [{ kind: found.find((each) => each.names.includes(name))?.kind ?? 'events', name }]
  const reached = found.filter((each) => each.isOpen || each.name === DEFAULT_TABLE).slice(0, MOST_TABLES)
  if (reached.length === 0) return [{ kind: 'events', name: undefined }]
  return reached.map((each) => ({
    kind: each.kind,
    name: each.name === DEFAULT_TABLE ? undefined : each.name,
  }))
}

async function inspectTable(
  { kind, name }: Chosen,
  { store: byDefault, tables }: OpenStore,
  url: StoreUrl,
  { found, writers }: StoreOptions & { readonly found: readonly FoundTable[] },
): Promise<Finding[]> {
  const table: OpenTable =
    name === undefined
      ? { check: (options) => byDefault.check(options), store: byDefault }
      : tables.open({ kind, name })
  const where = name === undefined ? url.shown : `${url.shown} ${name}`
  const problems = await table.check({ writers })
  const tried = table.store ? await claimAndRelease(table.store) : 0
  const note = typeof tried === 'number' ? warn : fail
  const findings = problems.map(({ problem, fix }) => {
    const seen = problem.startsWith('the table is missing')
      ? `${problem}; ${soughtIn(found, tables, name)}`
      : problem
    return note(`${where}: ${printable(seen)}`, printable(fix))
  })
  if (typeof tried !== 'number' && findings.length === 0) {
    findings.push(fail(`${where}: ${reasonOf(tried, url)}`, 'let its user read and write'))
  }
  if (typeof tried === 'number' && tried > SLOW_MS) {
    findings.push(
      warn(
        `a claim and a release take ${Math.round(tried)} ms`,
        'move the store closer to the receivers, and keep leaseSeconds above storeTimeoutSeconds: a claim that is answered after its lease gets 503',
      ),
    )
  }
  if (findings.length > 0) return findings
  return [ok(`${where}${table.store ? ' claims and releases, and' : ':'} check() found no problem`)]
}

/** What was looked for in place of a missing table, and what is there. */
function soughtIn(found: readonly FoundTable[], { sought }: Tables, name: string | undefined): string {
  const names = found.map(
    (each) => `${each.name} (${each.kind}${each.isOpen ? '' : ', closed to this user'})`,
  )
  const there = names.length === 0 ? 'no table has the columns of hookgate' : `there is ${names.join(', ')}`
  return name === undefined ? `nor is there ${sought.slice(1).join(' or ') || 'another'}: ${there}` : there
}

/** SQLite knows no users: anyone who may write the file decides which events run. */
function checkFile({ target, shown }: StoreUrl): Finding[] {
  const isOpen = process.platform !== 'win32' && (statSync(target).mode & 0o002) !== 0
  return isOpen ? [warn(`every user of this machine may write ${shown}`, 'chmod o-w, for the file')] : []
}

/** Claims and releases a new event. Returns the time of both, in milliseconds, or their error. */
async function claimAndRelease(store: EventStore): Promise<number | Error> {
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
