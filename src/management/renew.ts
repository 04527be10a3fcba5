import { ListenerConfigError } from '../errors.ts'
import { type Clock, timeOf } from '../lib/clock.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { isA } from '../lib/member-of.ts'
import {
  aBoolean,
  aFunction,
  checkedElsewhere,
  checkOptions,
  type OptionTable,
  optional,
} from '../lib/options.ts'
import type { ManagementApi, Renewal } from './api.ts'
import { Client, type ManagementFetch } from './client.ts'
import { ManagementError } from './errors.ts'
import { anApi, aUrl } from './given.ts'
import { endpointsOf, type FoundEndpoint, isAt } from './missed.ts'
import { aKeptChannel, type KeptChannel, renewChannel } from './renew-channel.ts'
import { lifeOf, type Renewed, timeAt } from './renewed.ts'

/** The options of `renew`. */
export interface RenewOptions {
  /** The sender's API: `graphApi` of `hookgate/management/graph`, or one that `hookgate/management/jira` or `…/google-channels` makes. */
  readonly api: ManagementApi
  /** A token of the app that has subscribed, or a function that makes one for each request. It is in no message. */
  readonly token: string | (() => MaybePromise<string>)
  /** Your endpoint's URL. Subscriptions with another URL are left alone. */
  readonly url: string
  /** The channel, which Google does not list, so that you keep it. For Google only. */
  readonly channel?: KeptChannel | undefined
  /** Whether to renew. Defaults to false: it only reads, and tells what is due. */
  readonly run?: boolean | undefined
  /** Replaces `fetch`, e.g. to add a proxy or a private CA. */
  readonly fetch?: ManagementFetch | undefined
  /** Replaces `Date`, for tests. */
  readonly clock?: Clock | undefined
}

const OPTIONS: OptionTable<RenewOptions> = {
  api: anApi,
  token: checkedElsewhere,
  url: aUrl,
  channel: optional(aKeptChannel),
  run: optional(aBoolean),
  fetch: optional(aFunction),
  clock: checkedElsewhere,
}

/** Clocks differ, and a request takes its time. */
const MARGIN_MS = 300_000

/**
 * Renews the subscriptions at your URL that are past half of their life, and no other. Run it by a job, at least four times in the shortest
 * life: those of Microsoft Graph last from an hour to a month, those of Jira a month, Google's channels a day or a week. Creates none: one that
 * has ended is gone, and what happened meanwhile was not sent. A channel of Google's cannot last longer, so another one takes its place.
 *
 * @example
 * ```ts
 * const subscriptions = await renew({ api: graphApi, token, url, run: true })
 * for (const { id, state, why } of subscriptions) if (state === 'failed') console.error(id, why)
 * ```
 *
 * @returns The subscriptions at your URL.
 * @throws ListenerConfigError (as a rejection) for a wrong option, and for a sender whose subscriptions do not end.
 * @throws ManagementError (as a rejection) if there is no subscription at this URL, if the sender refuses the token, or answers wrongly.
 */
export async function renew(options: RenewOptions): Promise<readonly Renewed[]> {
  checkOptions('renew', options, OPTIONS)
  const { api, url, channel, run = false, clock = Date } = options
  const { renewal, sender } = api
  if (renewal === undefined)
    throw new ListenerConfigError('api', `has nothing to renew: what ${sender} sends does not end`)
  const client = new Client({ ...options, clock })
  if ((renewal.replaces !== undefined) !== (channel !== undefined))
    throw new ListenerConfigError(
      'channel',
      channel ? `is not for ${sender}` : `is missing: ${sender} lists none`,
    )
  if (channel) return [await renewChannel(client, channel, renewal, { run, now: timeOf(clock), url })]
  const ours = (await endpointsOf(client, api.endpoints)).filter(isAt(url))
  if (ours.length === 0)
    throw new ManagementError(
      'ERR_API_ENDPOINT',
      `${sender}: there is no subscription at this URL: if it has ended, create it again, and read what has changed since`,
    )
  const renewed: Renewed[] = []
  for (const each of ours) renewed.push(await renewOne(client, each, renewal, { run, now: timeOf(clock) }))
  return renewed
}

async function renewOne(
  client: Client,
  { id, item }: FoundEndpoint,
  renewal: Renewal,
  { run, now }: { readonly run: boolean; readonly now: number },
): Promise<Renewed> {
  const until = timeAt(item, renewal.expires)
  const failed = (why: string): Renewed => ({ id, state: 'failed', until, why })
  const lifeMs = lifeOf(item, renewal)
  if (until === undefined) return failed('the sender does not say when it ends')
  if (lifeMs === undefined) return failed('it is not known how long it may last: renew it in your own code')
  if (until.getTime() - now > lifeMs / 2) return { id, state: 'early', until }
  if (!run) return { id, state: 'due', until }
  try {
    const wanted = new Date(now + lifeMs - MARGIN_MS).toISOString()
    const answer = timeAt(await client.call(renewal.call, { hook: id, until: wanted }), renewal.renewed)
    if (answer !== undefined && answer > until) return { id, state: 'renewed', until: answer }
    return failed('the sender answered, but did not make it last longer')
  } catch (error) {
    if (!isA(error, ManagementError)) throw error
    return failed(error.message)
  }
}
