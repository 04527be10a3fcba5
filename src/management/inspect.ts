import { constantTimeEqual, sha256 } from '#crypto'
import { ListenerConfigError } from '../errors.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import {
  aFunction,
  checkedElsewhere,
  checkOptions,
  type OptionTable,
  oneOfWords,
  optional,
  wellFormedText,
} from '../lib/options.ts'
import { bounded } from '../told.ts'
import type { Endpoints, ManagementApi } from './api.ts'
import { Client, type ManagementFetch } from './client.ts'
import { ManagementError } from './errors.ts'
import { anApi, aUrl, checkMode } from './given.ts'
import { textAt, valueAt } from './json-parts.ts'
import { endpointsOf, type FoundEndpoint, findMissed, isAt, isOf, type Mode } from './missed.ts'
import { isEnding } from './renewed.ts'

/** The options of `inspect`. */
export interface InspectOptions {
  /** The sender's API: `stripeApi` of `hookgate/management/stripe`, or one that `hookgate/management/github` makes. */
  readonly api: ManagementApi
  /** A token of the account that sends to the URL, or a function that makes one for each request. It is in no finding. */
  readonly token: string | (() => MaybePromise<string>)
  /** Your endpoint's URL. */
  readonly url: string
  /** The types that your code handles: the `types` of what `route` returns. Without them, subscriptions are not compared. */
  readonly types?: readonly string[] | undefined
  /** The API version that your code expects. Without it, versions are not compared. */
  readonly version?: string | undefined
  /**
   * The secrets that your endpoint verifies with, as the sender writes them. Compared with the sender's, where its API shows it (Linear,
   * Paddle, Resend, Square, Svix), and in no finding. Without them, secrets are neither asked for nor compared.
   */
  readonly secrets?: string | readonly string[] | undefined
  /** The sender's mode that the endpoint belongs to. Defaults to `live`. */
  readonly mode?: Mode | undefined
  /** Replaces `fetch`, e.g. to add a proxy or a private CA. */
  readonly fetch?: ManagementFetch | undefined
}

/** Something to fix at the sender, or in your code. */
export interface Finding {
  /**
   * What is wrong: no endpoint at this URL (`unregistered`), or in the other mode or for simulations only (`mode`), or several of them
   * (`repeated`). The endpoint is `disabled`, its TLS is not verified (`insecure`), or it has no secret (`unsigned`), or another `secret`
   * than your endpoint, or one that the token may not read. Its types are not those that your code handles (`unsubscribed`,
   * `unhandled`); one that gets all types, as `*`, is right. It sends another API `version`. It has `failed` in the last 24 hours.
   * Nobody renews it, and it is `ending`.
   */
  readonly what:
    | 'unregistered'
    | 'mode'
    | 'repeated'
    | 'disabled'
    | 'insecure'
    | 'unsigned'
    | 'secret'
    | 'unsubscribed'
    | 'unhandled'
    | 'version'
    | 'failed'
    | 'ending'
  /** What was seen. */
  readonly seen: string
  /** How to fix it. */
  readonly fix: string
}

const OPTIONS: OptionTable<InspectOptions> = {
  api: anApi,
  token: checkedElsewhere,
  url: aUrl,
  types: checkedElsewhere,
  version: optional(wellFormedText),
  secrets: optional(someTexts),
  mode: optional(oneOfWords('live', 'test')),
  fetch: optional(aFunction),
}

const DAY_MS = 86_400_000

/**
 * Compares what the sender has registered with what your code expects. Only reads. Run it by a job outside of your handlers: an alarm
 * inside them cannot tell that nothing arrives.
 *
 * @example
 * ```ts
 * const findings = await inspect({ api: stripeApi, token, url, types: ['invoice.paid'] })
 * for (const { what, seen, fix } of findings) console.error(`${what}: ${seen}. ${fix}`)
 * ```
 *
 * @returns What to fix. Empty if there is nothing.
 * @throws ListenerConfigError (as a rejection) for a wrong option.
 * @throws ManagementError (as a rejection) if the sender refuses the token, or answers wrongly.
 */
export async function inspect(options: InspectOptions): Promise<readonly Finding[]> {
  checkOptions('inspect', options, OPTIONS)
  const { api, mode = 'live', secrets, types, url, version } = options
  checkMode(api, mode)
  if (version !== undefined && api.endpoints.version === undefined)
    throw new ListenerConfigError('version', `is not for ${api.sender}, whose endpoints have none`)
  const client = new Client({ ...options, clock: Date })
  const all = await endpointsOf(client, api.endpoints)
  const here = all.filter(isAt(url))
  const ours = here.filter(isOf(mode))
  const [first] = ours
  if (first === undefined) return [here.length > 0 ? inOtherMode(mode) : unregistered(all, url)]
  const findings: Finding[] = []
  const own = ours.filter(({ isElsewhere }) => !isElsewhere)
  // One for the account's events and one for other events do not bring the same.
  for (const { length } of [own, ours.filter(({ isElsewhere }) => isElsewhere)])
    if (length > 1 && !api.endpoints.onePerType) findings.push(repeated(length))
  for (const endpoint of ours) findings.push(...shortcomings(endpoint, api.endpoints))
  const { renewal } = api
  const ending = renewal ? ours.filter(({ item }) => isEnding(item, renewal, Date.now())) : []
  for (const { id } of ending)
    findings.push({
      what: 'ending',
      seen: `the subscription ${bounded(id)} is near its end`,
      fix: 'call renew() by a job, more often',
    })
  if (secrets !== undefined)
    findings.push(...(await otherSecrets(client, ours, api.endpoints, [secrets].flat())))
  if (version !== undefined) findings.push(...versions(ours, version))
  if (types !== undefined) findings.push(...subscriptions(ours, types, api.endpoints))
  // An account's list does not say which of its endpoints has failed.
  const others = all.filter(isOf(mode)).filter((each) => !each.isElsewhere && !own.includes(each))
  const { missed: form } = api
  const tells = form && (form.status ?? form.undelivered) !== undefined
  if (tells && (!form.ofAccount || (own.length === 1 && others.length === 0))) {
    const { sender } = api
    const since = new Date(Date.now() - DAY_MS)
    const missed = await Promise.all(
      own.map((endpoint) =>
        findMissed(client, { sender, missed: form }, endpoint, { since, mode, all: false }),
      ),
    )
    const count = missed.flat().filter(({ isUnderway }) => !isUnderway).length
    if (count > 0)
      findings.push({
        what: 'failed',
        seen: `events of the last 24 hours that were not delivered: ${count}`,
        fix: 'fix the endpoint, whose log has the reason, then run recover()',
      })
  }
  return findings
}

const inOtherMode = (mode: Mode): Finding => ({
  what: 'mode',
  seen: `the endpoint at this URL is not of the ${mode} mode`,
  fix: `register it in the ${mode} mode, or give a token of that mode`,
})

function unregistered(all: readonly FoundEndpoint[], url: string): Finding {
  const bare = (text: string) => (URL.canParse(text) ? barePath(new URL(text)) : text)
  const isNear = all.some(({ url: registered }) => bare(registered) === bare(url))
  return {
    what: 'unregistered',
    seen: isNear
      ? 'an endpoint is registered that differs only in a slash, letter case, query, scheme or port'
      : `none of ${all.length} endpoints has this URL`,
    fix: isNear ? 'register the URL that your endpoint has' : 'register it, or give the token of its account',
  }
}

const barePath = ({ hostname, pathname }: URL) => `${hostname}${pathname.toLowerCase().replace(/\/+$/, '')}`

const repeated = (count: number): Finding => ({
  what: 'repeated',
  seen: `${count} endpoints have this URL, so each event comes ${count} times, signed with different secrets`,
  fix: 'delete all but one of them',
})

function shortcomings({ item }: FoundEndpoint, { should }: Endpoints): readonly Finding[] {
  return should.flatMap(({ finding, at, is, mayLack, fix }) => {
    const value = valueAt(item, at)
    if (mayLack && value === undefined) return []
    if (
      is === 'present'
        ? value !== undefined && value !== null && value !== ''
        : [is].flat().some((right) => String(value ?? false) === String(right))
    )
      return []
    return [{ what: finding, seen: `its ${at.slice(1)} is ${shown(value)}`, fix }]
  })
}

const OTHER_SECRET: Finding = {
  what: 'secret',
  seen: "the secret here is another one than the sender's",
  fix: "give your endpoint the secret that this URL's endpoint has at the sender",
}

const UNSEEN_SECRET: Finding = {
  what: 'secret',
  seen: 'the sender did not show its secret, so it was not compared',
  fix: 'give the token the right to read it, or compare without a secret here',
}

/** Whether the endpoints sign with secrets that are none of these. What the API of a sender never shows is not compared. */
async function otherSecrets(
  client: Client,
  ours: readonly FoundEndpoint[],
  { secret: form }: Endpoints,
  secrets: readonly string[],
): Promise<readonly Finding[]> {
  if (form === undefined) return []
  const ownDigests = await Promise.all(secrets.map((secret) => sha256(secret)))
  for (const { id, item } of ours) {
    // The endpoint's other faults are worth more than a refusal of this call.
    const refused = (error: unknown) => {
      if (client.isOver || !(error instanceof ManagementError)) throw error
    }
    const answer = form.call ? await client.call(form.call, { hook: id }).catch(refused) : item
    const shown = answer === undefined ? '' : textAt(answer, form.at)
    if (shown === '') return [UNSEEN_SECRET]
    const digest = await sha256(shown)
    if (!ownDigests.some((own) => constantTimeEqual(own, digest))) return [OTHER_SECRET] // of equal lengths
  }
  return []
}

/** A word of the API, never a secret. */
const shown = (value: unknown) =>
  typeof value === 'string' || typeof value === 'boolean' ? bounded(`${value}`) : 'not set'

function versions(ours: readonly FoundEndpoint[], expected: string): readonly Finding[] {
  return [...new Set(ours.map(({ version }) => version))]
    .filter((version) => version !== expected)
    .map((version) => ({
      what: 'version',
      seen:
        version === ''
          ? "it sends the account's API version, which changes"
          : `it sends the API version ${bounded(version)}`,
      fix: `let it send ${expected}, by a new endpoint where the version cannot be changed, or expect its version in your code`,
    }))
}

function subscriptions(
  ours: readonly FoundEndpoint[],
  handled: readonly string[],
  { everywhere = [], spelt = (type) => type }: Endpoints,
): readonly Finding[] {
  const subscribed = new Set(ours.flatMap(({ types }) => types))
  if (subscribed.has('*')) return []
  const keys = handled.filter((key) => key !== '*' && !everywhere.includes(key)).map(spelt)
  const fits = (key: string, type: string) =>
    key === type || (key.endsWith('*') && type.startsWith(key.slice(0, -1)))
  const missing = keys.filter((key) => ![...subscribed].some((type) => fits(key, type)))
  const extra = [...subscribed].filter(
    (type) => !everywhere.includes(type) && !keys.some((key) => fits(key, type)),
  )
  return [
    ...listed(
      'unsubscribed',
      'handled, but not sent to this URL',
      missing,
      'subscribe the endpoint to them, or delete their handlers',
    ),
    ...listed(
      'unhandled',
      "sent to this URL, but handled by '*' alone",
      extra,
      'handle them, or unsubscribe the endpoint',
    ),
  ]
}

const MOST_NAMED = 100

const inShort = (types: readonly string[]) => {
  const more = types.length - MOST_NAMED
  return `${types.slice(0, MOST_NAMED).map(bounded).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function listed(
  what: 'unsubscribed' | 'unhandled',
  problem: string,
  types: readonly string[],
  fix: string,
): readonly Finding[] {
  return types.length === 0 ? [] : [{ what, seen: `${problem}: ${inShort(types)}`, fix }]
}

/** Their own text is in no message. */
function someTexts(value: unknown, option: string): void {
  const texts = [value].flat()
  if (texts.length > 0 && texts.every((text) => typeof text === 'string' && text !== '')) return
  throw new ListenerConfigError(option, 'must be a secret, or a list of secrets, as text')
}
