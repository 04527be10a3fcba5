import { ListenerConfigError } from '../errors.ts'
import { parseTime, writeTime } from '../lib/time.ts'
import { bounded } from '../told.ts'
import type { Endpoints, ManagementApi, Missed, Texts } from './api.ts'
import type { Client } from './client.ts'
import { ManagementError } from './errors.ts'
import { partAt, partsOf, textAt, valueAt } from './json-parts.ts'
import type { RecoverableApi } from './recoverable.ts'

/** Which of a sender's modes an endpoint belongs to. */
export type Mode = 'live' | 'test'

/** An endpoint that the account of the token has at the user's URL. */
export interface FoundEndpoint {
  readonly id: string
  readonly url: string
  /** Undefined if the sender has no modes. */
  readonly isLive: boolean | undefined
  readonly item: Uint8Array
  /** The types that are sent to it. `*` among them stands for all. */
  readonly types: readonly string[]
  /** Empty for the account's. */
  readonly version: string
  /** Whether the sender's list does not have its events. */
  readonly isElsewhere: boolean
}

/** An event that was not delivered, or the latest attempt to deliver it. */
export interface MissedEvent {
  readonly endpoint: string
  /** The ID of the item. */
  readonly id: string
  readonly event: string
  readonly type: string
  readonly version: string
  /** Seconds since 1970. */
  readonly time: number
  /** Whether the sender is still at work on it, so that it has not failed. */
  readonly isUnderway: boolean
  /** The item, if it is the event. */
  readonly item: Uint8Array
}

/** What a process may hold at a time. */
const MOST_HELD = { events: 100_000, bytes: 268_435_456 }

/** Lists come newest first, but not to the second. */
const DISORDER_SECONDS = 600

/** All endpoints of the account, or of the repository, organisation or app. */
export async function endpointsOf(client: Client, form: Endpoints): Promise<readonly FoundEndpoint[]> {
  if (form.unlisted)
    throw new ListenerConfigError('api', 'cannot be inspected: the sender lists no endpoints')
  const found: FoundEndpoint[] = []
  let bytes = 0
  for await (const item of client.list(form)) {
    bytes += item.length
    if (found.length === MOST_HELD.events || bytes > MOST_HELD.bytes)
      throw new ManagementError('ERR_API_ANSWER', `there are too many endpoints at ${form.path}`)
    const typed = form.typesCall ? await client.call(form.typesCall, {}) : item
    const isLive = form.live === undefined ? undefined : valueAt(item, form.live) === true
    const elsewhere = form.elsewhere === undefined ? null : valueAt(item, form.elsewhere.at)
    found.push({
      id: form.id === undefined ? '' : textAt(item, form.id),
      url: textAt(item, form.url),
      isLive,
      types: typesIn(typed, form),
      version: form.version === undefined ? '' : textAt(item, form.version),
      isElsewhere: elsewhere !== null && elsewhere !== undefined,
      item: item.slice(), // or it would keep the whole page
    })
  }
  return found
}

/**
 * The endpoints at this URL, in this mode. A token of another account would bring foreign events, which nobody has signed, so there must be
 * one.
 *
 * @throws ManagementError if there is none.
 */
async function findEndpoints(
  client: Client,
  { endpoints: form, sender }: ManagementApi,
  url: string,
  mode: Mode,
): Promise<readonly FoundEndpoint[]> {
  const here = (await endpointsOf(client, form)).filter(isAt(url))
  const found = here.filter(isOf(mode))
  if (found.length > 0 && found.every(({ isElsewhere }) => isElsewhere))
    throw new ManagementError(
      'ERR_API_ENDPOINT',
      `${sender}: the endpoint at this URL ${form.elsewhere?.fix}`,
    )
  if (found.length > 0) return found
  const other = mode === 'live' ? 'test' : 'live'
  throw new ManagementError(
    'ERR_API_ENDPOINT',
    here.length > 0
      ? `${sender}: the endpoint at this URL is of the ${other} mode: give a token of the ${mode} mode, or set mode to '${other}'`
      : `${sender}: the account of this token has no endpoint at this URL, so its events are not yours: give the token of the account that sends here, and the URL as it is registered`,
  )
}

/** What was not delivered to this URL, oldest first, and what the user should know of it. */
export async function findAll(
  client: Client,
  api: RecoverableApi,
  { url, ...wanted }: Omit<Wanted, 'most'> & { readonly url: string },
): Promise<{ readonly found: readonly MissedEvent[]; readonly warnings: readonly string[] }> {
  const known = new Map<string, MissedEvent>()
  const { caveat, ofAccount } = api.missed
  const warnings: string[] = caveat === undefined ? [] : [caveat]
  for (const endpoint of await findEndpoints(client, api, url, wanted.mode)) {
    if (endpoint.isElsewhere) {
      warnings.push(`an endpoint at this URL is left out: it ${api.endpoints.elsewhere?.fix}`)
      continue
    }
    const missed = await findMissed(client, api, endpoint, wanted)
    const other = missed.filter(({ version }) => version !== '' && version !== endpoint.version)
    if (endpoint.version !== '' && other.length > 0)
      warnings.push(
        `the endpoint's payloads have the API version ${endpoint.version}, but these have ${bounded(other[0]?.version ?? '')}: ${other.length}`,
      )
    // An event is the account's, and the same for two endpoints at this URL. An attempt is of one of them.
    for (const each of missed) known.set(ofAccount ? each.event : `${endpoint.id} ${each.id}`, each)
  }
  return { found: [...known.values()].sort((one, other) => one.time - other.time), warnings }
}

/**
 * What was not delivered to an endpoint from `since` to `until`, both included, oldest first, and of several attempts the latest. With
 * `all`, also what the sender counts as delivered.
 *
 * @throws ManagementError if there is more than a process may hold.
 */
export async function findMissed(
  client: Client,
  { missed: form, sender }: Pick<RecoverableApi, 'sender' | 'missed'>,
  endpoint: FoundEndpoint,
  { since, until, mode, all, most = MOST_HELD }: Wanted,
): Promise<readonly MissedEvent[]> {
  const sinceSeconds = Math.floor(since.getTime() / 1000)
  const untilSeconds = until === undefined ? Number.POSITIVE_INFINITY : until.getTime() / 1000
  const missed = new Map<string, MissedEvent>()
  const delivered = new Set<string>()
  let bytes = 0
  const tooMany = () =>
    new ManagementError(
      'ERR_API_ANSWER',
      `${sender} has more than ${most.events} events or ${most.bytes} bytes since then, which is too much at a time: recover them in parts, the oldest first, each up to a time that you give as until`,
    )
  const query: Texts = {
    ...(!all && form.undelivered),
    ...(form.since && { [form.since.parameter]: writeTime(form.since.unit, sinceSeconds) }),
  }
  const isSent = (type: string) =>
    !form.ofAccount || endpoint.types.includes('*') || endpoint.types.includes(type)
  for await (const item of client.list(form, { hook: endpoint.id }, query)) {
    const [id, event, type] = [textAt(item, form.id), textAt(item, form.event), textAt(item, form.type)]
    const time = parseTime(form.time.unit, textAt(item, form.time.at))
    if (id === '' || event === '' || Number.isNaN(time))
      throw new ManagementError(
        'ERR_API_ANSWER',
        `${sender}: an item of ${form.path} has no ID, event or time`,
      )
    // A list that the sender has cut may have one that was sent again, with its first time.
    if (!form.since && time < sinceSeconds - DISORDER_SECONDS) break
    if (form.live !== undefined && valueAt(item, form.live) !== (mode === 'live'))
      throw new ManagementError('ERR_API_ENDPOINT', `${sender}: the token is not of the ${mode} mode`)
    const status = form.status && textAt(item, form.status.at)
    if (!all && isDelivered(form, status) && !delivered.has(event)) {
      delivered.add(event)
      bytes += event.length
    }
    if (bytes > most.bytes) throw tooMany()
    if (time < sinceSeconds || time > untilSeconds || !isSent(type) || missed.has(event)) continue
    const version = form.version === undefined ? '' : textAt(item, form.version)
    // A copy, or it would keep the whole page.
    const held = form.record.call === undefined ? item.slice() : new Uint8Array()
    bytes += held.length + id.length + event.length + type.length
    missed.set(event, {
      ...{ endpoint: endpoint.id, id, event, type, version, time, item: held },
      isUnderway: form.status?.underway?.includes(status ?? '') === true,
    })
    if (missed.size > most.events || bytes > most.bytes) throw tooMany()
  }
  return [...missed.values()].filter(({ event }) => !delivered.has(event)).reverse()
}

/** How many events have each type. */
export function typesOf(events: readonly MissedEvent[]): { readonly [type: string]: number } {
  const types = new Map<string, number>()
  for (const { type } of events) types.set(type, (types.get(type) ?? 0) + 1)
  return Object.fromEntries(types)
}

interface Wanted {
  readonly since: Date
  readonly until?: Date | undefined
  readonly mode: Mode
  readonly all: boolean
  /** For tests. */
  readonly most?: typeof MOST_HELD
}

function isDelivered({ status: form }: Missed, status = ''): boolean {
  if (form === undefined) return false
  return form.delivered === '2xx' ? /^2\d\d$/.test(status) : form.delivered.includes(status)
}

/** Whether an endpoint has this URL. */
export const isAt =
  (url: string) =>
  ({ url: registered }: FoundEndpoint): boolean =>
    URL.canParse(registered) && new URL(registered).href === new URL(url).href

/** Whether an endpoint is of this mode, as far as its sender has modes. */
export const isOf =
  (mode: Mode) =>
  ({ isLive }: FoundEndpoint): boolean =>
    isLive === undefined || isLive === (mode === 'live')

function typesIn(item: Uint8Array, { types, flags, allIfNone }: Endpoints): readonly string[] {
  const found = flags ? flagged(item, types, flags) : textsAt(item, types)
  return found.length === 0 && allIfNone ? ['*'] : found
}

const flagged = (item: Uint8Array, place: string, flags: Texts) =>
  Object.entries(flags).flatMap(([name, type]) => (valueAt(item, `${place}/${name}`) === true ? type : []))

/** `/*` in the pointer stands for each item of a list. */
function textsAt(item: Uint8Array, pointer: string): readonly string[] {
  const [list = '', ...rest] = pointer.split('/*')
  const part = partAt(item, list)
  if (part === undefined) return []
  const texts: string[] = []
  for (const [, each] of part[0] === LIST ? partsOf(part) : [['', part] as const]) {
    const text = textAt(each, rest.join('/*'))
    if (text !== '') texts.push(text)
    if (texts.length === MOST_TYPES) break
  }
  return texts
}

/** No sender has so many. */
const MOST_TYPES = 10_000

const LIST = 0x5b
