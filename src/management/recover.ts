import { ListenerConfigError } from '../errors.ts'
import { isListener } from '../is-listener.ts'
import { timeOf } from '../lib/clock.ts'
import { callHook } from '../lib/hooks.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { textOf } from '../lib/member-of.ts'
import {
  aBoolean,
  aFunction,
  checkedElsewhere,
  checkOptions,
  type OptionTable,
  oneOfWords,
  optional,
  positiveInteger,
} from '../lib/options.ts'
import type { EventOf, Listener } from '../listener.ts'
import { told } from '../told.ts'
import type { Verdict } from '../verdict.ts'
import type { ManagementApi } from './api.ts'
import { Client, type ManagementFetch } from './client.ts'
import { ManagementError } from './errors.ts'
import { claimFetched, claimRecorded } from './fetched.ts'
import { anApi, aUrl, checkMode } from './given.ts'
import { findAll, type MissedEvent, type Mode, typesOf } from './missed.ts'
import { fetchedOf, recordOf } from './record.ts'
import { type RecoverableApi, recoverableOf, whyUnrecoverable } from './recoverable.ts'
import { runClaimed } from './run-claimed.ts'
import { checkSince } from './since.ts'

/** The options of `recover`. */
export interface RecoverOptions {
  /** The sender's API: `stripeApi` of `hookgate/management/stripe`, or one that `hookgate/management/github` makes. */
  readonly api: ManagementApi
  /** A token of the account that sends to the URL, or a function that makes one for each request. It is in no message. */
  readonly token: string | (() => MaybePromise<string>)
  /** The endpoint's URL, as it is registered with the sender. The account must have it, or nothing is listed. */
  readonly url: string
  /**
   * How far to look back. Give the same time whenever you repeat it: one that moves along loses the oldest events. At most as far as the
   * listener remembers (`retentionSeconds`), and as the sender keeps.
   */
  readonly since: Date
  /** Leaves out what is later. For more events than can be held at a time (100,000, or 256 MB): recover the oldest first. */
  readonly until?: Date | undefined
  /** Whether to run the events. Defaults to false: it only reads, and counts. */
  readonly run?: boolean | undefined
  /** The sender's mode that the endpoint belongs to. Defaults to `live`. */
  readonly mode?: Mode | undefined
  /**
   * Whether to take what the sender does not count as missed too. While an endpoint is disabled, Stripe tries no delivery, so none fails.
   * What ran is a duplicate. Defaults to false.
   */
  readonly all?: boolean | undefined
  /** How many handlers run at a time, so that neighbours may swap; 1 keeps the order. Defaults to 4. */
  readonly atOnce?: number | undefined
  /** Called after each event, with the counts so far. Errors that it throws are ignored. */
  readonly onProgress?: ((recovery: Recovery) => unknown) | undefined
  /** Replaces `fetch`, e.g. to add a proxy or a private CA. */
  readonly fetch?: ManagementFetch | undefined
}

/** An event that did not run. */
export interface FailedEvent {
  /** The event's ID. */
  readonly id: string
  /** The event's type. */
  readonly type: string
  /** Why, without anything secret. */
  readonly why: string
}

/** What `recover` found and did. With `run`, one of the numbers counts each event, or `failed` names it. */
export interface Recovery {
  /** As given: repeat it with the same. */
  readonly since: Date
  /** How many events were found. */
  readonly found: number
  /** The same, by type. */
  readonly types: { readonly [type: string]: number }
  /** How many ran, and succeeded. */
  readonly ran: number
  /** How many had run before. */
  readonly duplicates: number
  /** How many the sender was asked to deliver again. It does so later: repeat the recovery to see what arrived. */
  readonly asked: number
  /** How many another process is at work on, or the store could not decide: repeat the recovery. */
  readonly waiting: number
  /** What did not run. It is tried again when you repeat the recovery. */
  readonly failed: readonly FailedEvent[]
  /** What you should know, e.g. that payloads have another API version than the endpoint's. */
  readonly warnings: readonly string[]
}

const OPTIONS: OptionTable<RecoverOptions> = {
  api: anApi,
  token: checkedElsewhere,
  url: aUrl,
  since: aDate,
  until: optional(aDate),
  run: optional(aBoolean),
  mode: optional(oneOfWords('live', 'test')),
  all: optional(aBoolean),
  atOnce: optional(positiveInteger),
  onProgress: optional(aFunction),
  fetch: optional(aFunction),
}

/** An event of a process that died is busy until its lease ends, so it is looked at again, a quarter of a lease later each time. */
const MOST_ROUNDS = 6

/**
 * Runs the events that a sender could not deliver: lists them by its API, and gives each to the endpoint's own listener and handler, with
 * the listener's claim, lease and settlement: oldest first, a few at once, so neighbours may swap; `atOnce: 1` keeps the order. The listener's store is the memory, so kill it, repeat it, and let the sender
 * retry meanwhile: what ran is a duplicate.
 *
 * An event of Stripe is believed because its API was asked: `event.auth.method` is `api`. GitHub's records bring their signature, which is
 * verified; what does not verify is asked for again. Checks no source address and no time of an attempt.
 *
 * @example
 * ```ts
 * const recovery = await recover(listener, (event) => saveOrder(event.id, event.payload), {
 *   api: stripeApi,
 *   token: process.env.STRIPE_API_KEY ?? '',
 *   url: 'https://example.com/webhooks/stripe',
 *   since: new Date('2026-11-28T16:00:00Z'),
 *   run: true,
 * })
 * console.log(recovery.ran, recovery.failed)
 * ```
 *
 * @param listener The endpoint's own: its `id`, store and scheme make the claims those of the deliveries.
 * @param handler Handles one event. A response that it returns counts as in an adapter, and anything else as done.
 * @throws ListenerConfigError (as a rejection) for a wrong option, and for a sender whose events cannot be recovered.
 * @throws ManagementError (as a rejection) if the sender refuses the token, does not know the endpoint, or answers wrongly.
 */
export async function recover<Given extends Listener<unknown>>(
  listener: Given,
  handler: (event: EventOf<Given>) => unknown,
  options: RecoverOptions,
): Promise<Recovery> {
  const listed = checkGiven(listener, handler, options)
  const { api, since, until, url, run = false, mode = 'live', all = false } = options
  const client = new Client({ ...options, clock: listener.clock })
  const { found, warnings } = await findAll(client, listed, { url, since, until, mode, all })
  const tally = new Tally(found, warnings, options)
  if (run) await runAll(found)
  return tally.now()

  async function runAll(events: readonly MissedEvent[]): Promise<void> {
    let due = events
    for (let round = 0; due.length > 0 && round < MOST_ROUNDS; round += 1) {
      if (round > 0) await client.pause(listener.leaseMs / 4)
      const [waiting, unverified] = await takeAll(due)
      await askForAll(unverified)
      due = waiting
      tally.wait(waiting.length)
    }
  }

  /** Returns those to be looked at again, and those to be asked for. */
  async function takeAll(due: readonly MissedEvent[]): Promise<readonly [MissedEvent[], MissedEvent[]]> {
    const waiting: MissedEvent[] = []
    const unverified: MissedEvent[] = []
    const queue = due.values()
    const lane = async () => {
      for (const event of queue) {
        const outcome = await take(event)
        if (outcome === 'waiting') waiting.push(event)
        else if (outcome === 'unverified') unverified.push(event)
        else tally.count(event, outcome)
      }
    }
    await Promise.all(Array.from({ length: options.atOnce ?? 4 }, lane))
    return [waiting, unverified]
  }

  /** Never rejects. */
  async function take(event: MissedEvent): Promise<Outcome | 'waiting' | 'unverified'> {
    try {
      if (isForgotten(listener, event)) return { why: FORGOTTEN }
      const verdict = await claimed(event)
      if (verdict === undefined) return 'unverified'
      if (verdict.ok) {
        const claimedEvent = verdict.event as EventOf<Given> // of this listener
        const why = await runClaimed(listener, verdict.event, () => handler(claimedEvent))
        return why === undefined ? 'ran' : { why }
      }
      if (verdict.reason === 'event_duplicate') return 'duplicates'
      if (verdict.reason === 'event_in_progress') return 'waiting'
      return { why: `${verdict.reason}: ${verdict.detail}` }
    } catch (error) {
      return textOf(error, 'code') === 'ERR_EVENT_STORE' ? 'waiting' : { why: told(error) }
    }
  }

  async function claimed(event: MissedEvent): Promise<Verdict<unknown> | undefined> {
    const { record } = listed.missed
    const answer = record.call
      ? await client.call(record.call, { hook: event.endpoint, id: event.id })
      : event.item
    if (record.trust === 'fetched') {
      const kept = fetchedOf(answer, record)
      if (kept === 'lost') throw new ManagementError('ERR_API_ANSWER', `${api.sender} has not kept its body`)
      return kept && claimFetched(listener, kept, event, api.scheme)
    }
    const known = recordOf(answer, record)
    return known && claimRecorded(listener, known.headers, known.spellings, event)
  }

  /** One after the other, as fast as the sender allows. A token that may not ask is told so once. */
  async function askForAll(events: readonly MissedEvent[]): Promise<void> {
    const { redelivery, sender } = api
    let refused: string | undefined = redelivery ? undefined : `${sender} has not kept it as it was`
    for (const [index, event] of events.entries()) {
      if (redelivery && refused === undefined && !isForgotten(listener, event)) {
        if (index > 0) await client.pause(60_000 / redelivery.perMinute)
        try {
          await client.call(redelivery, { hook: event.endpoint, id: event.id })
          tally.count(event, 'asked')
        } catch (error) {
          tally.count(event, { why: told(error) })
          if (textOf(error, 'code') === 'ERR_API_TOKEN') refused = told(error)
        }
      } else tally.count(event, { why: refused ?? FORGOTTEN })
    }
  }
}

/** What became of an event. */
type Outcome = 'ran' | 'duplicates' | 'asked' | { readonly why: string }

/** Counts what became of the events, and tells so. */
class Tally {
  #waiting = 0
  readonly #found: readonly MissedEvent[]
  readonly #types: Recovery['types']
  readonly #warnings: readonly string[]
  readonly #options: RecoverOptions
  readonly #counts = { ran: 0, duplicates: 0, asked: 0 }
  readonly #failed: FailedEvent[] = []

  constructor(found: readonly MissedEvent[], warnings: readonly string[], options: RecoverOptions) {
    this.#found = found
    this.#warnings = warnings
    this.#options = options
    this.#types = typesOf(found)
  }

  count({ event, type }: MissedEvent, outcome: Outcome): void {
    if (typeof outcome === 'string') this.#counts[outcome] += 1
    else this.#failed.push({ id: event, type, why: outcome.why })
    const { onProgress } = this.#options
    if (onProgress) callHook(onProgress, this.now())
  }

  wait(count: number): void {
    this.#waiting = count
  }

  now(): Recovery {
    const { since } = this.#options
    return {
      since,
      found: this.#found.length,
      types: { ...this.#types },
      ...this.#counts,
      waiting: this.#waiting,
      failed: [...this.#failed],
      warnings: this.#warnings,
    }
  }
}

/** @throws ListenerConfigError */
function checkGiven(listener: Listener<unknown>, handler: unknown, options: RecoverOptions): RecoverableApi {
  if (!isListener(listener)) throw new ListenerConfigError('listener', 'must come from defineListener()')
  aFunction(handler, 'handler')
  checkOptions('recover', options, OPTIONS)
  const api = checkSender(listener, options.api)
  checkMode(api, options.mode ?? 'live')
  checkSince({ ...options, api }, { now: timeOf(listener.clock), rememberedMs: rememberedMs(listener) })
  return api
}

/** An event must be claimed by what its delivery is claimed by, or it runs twice. */
function checkSender({ protocol }: Listener<unknown>, api: ManagementApi): RecoverableApi {
  const { scheme, sender } = api
  const { dedupe, sender: own } = protocol
  const name = protocol.scheme?.name ?? ''
  const why = whyUnrecoverable(name)
  if (why !== undefined) throw new ListenerConfigError('listener', `verifies ${own}, whose ${why}`)
  if (name !== scheme) throw new ListenerConfigError('listener', `verifies ${own}, and api is ${sender}'s`)
  const recoverable = recoverableOf(api)
  if (dedupe === 'off')
    throw new ListenerConfigError('listener', "has dedupe: 'off', so what ran before would run again")
  if (recoverable.missed.record.trust === 'fetched' && dedupe !== 'id')
    throw new ListenerConfigError(
      'listener',
      `has dedupe: '${dedupe}', but ${sender}'s API has other bytes than its deliveries: events would run twice`,
    )
  return recoverable
}

const rememberedMs = ({ retentionMs, store }: Listener<unknown>) =>
  Math.min(retentionMs, (store.replayWindowSeconds ?? Infinity) * 1000)

const FORGOTTEN =
  'came to the end of what the listener remembers meanwhile, so it would run again if it ran: raise retentionSeconds'

/** A recovery may take hours. */
const isForgotten = (listener: Listener<unknown>, { time }: MissedEvent) =>
  timeOf(listener.clock) - time * 1000 > rememberedMs(listener)

function aDate(value: unknown, option: string): void {
  const time: unknown = value instanceof Date ? value.getTime() : Number.NaN
  if (Number.isNaN(time)) throw new ListenerConfigError(option, 'must be a valid Date')
}
