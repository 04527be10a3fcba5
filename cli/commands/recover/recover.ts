import { findAll, type MissedEvent, typesOf } from '../../../src/management/missed.ts'
import { type RecoverableApi, recoverableOf, whyUnrecoverable } from '../../../src/management/recoverable.ts'
import { checkSince } from '../../../src/management/since.ts'
import { bounded } from '../../../src/told.ts'
import { type Command, defineCommand, type OptionRows, type ValuesOf } from '../../command-line/command.ts'
import { EXIT, UsageError } from '../../command-line/exit.ts'
import { HOOKGATE } from '../../command-line/invocation.ts'
import { print, remark, toJsonLine } from '../../command-line/output.ts'
import { shellOption } from '../../command-line/shell.ts'
import { durationFrom, timeFrom } from '../../command-line/time.ts'
import { httpUrl, refuseStray, toUsageError, wholeNumber } from '../../command-line/values.ts'
import { API_OPTIONS, answered, readSenderApi, type SenderApi } from '../../lib/sender-api.ts'
import { canSign, loadScheme } from '../../signing/schemes.ts'
import { readSender } from '../../signing/signer.ts'
import { askAgain, type Outcome, postTo, type Send } from './send-again.ts'

const OPTIONS = {
  scheme: { value: 'NAME', says: 'The sender: stripe, github, …' },
  url: { value: 'URL', says: 'Your endpoint, as it is registered with the sender' },
  since: { value: 'TIME', says: 'How far to look back: 2026-11-28T16:00Z, or 2h, 3d' },
  until: { value: 'TIME', says: 'Leave out later events' },
  run: { says: 'Send the events again; without it, only count them' },
  all: { says: 'Also send events that the sender counts as delivered, or never tried' },
  ...API_OPTIONS,
  'secret-file': {
    value: 'FILE',
    says: "The file with your endpoint's secret, if recover signs for the sender (default: HOOKGATE_SECRET)",
  },
  'at-once': { value: 'COUNT', says: 'How many to post at a time (default: 4)' },
  to: { value: 'URL', says: 'Where this machine reaches your endpoint (default: --url)' },
  remembers: {
    value: 'TIME',
    says: 'How long your endpoint remembers events, its retentionSeconds (default: 7d)',
  },
  json: { says: 'Print one line of JSON: since, found, types, sent, asked, waiting, failed, …' },
} satisfies OptionRows

type Given = ValuesOf<typeof OPTIONS>

export const recover: Command = defineCommand({
  name: 'recover',
  summary: 'send again what a sender could not deliver to your endpoint',
  meant: '--scheme NAME --url URL --since TIME',
  options: OPTIONS,
  notes: [
    'Lists the events by the API of the sender. With --run it asks the sender to deliver them again, or, if the sender never does (Stripe, Square), signs each and posts it to your endpoint. `sent` counts what ran before, too.',
    'It posts oldest first, a few at once, so neighbours may swap; --at-once 1 keeps the order.',
    'Your endpoint must claim the ID of the event, as it does unless you set dedupe, and for as long as --remembers says.',
    'Repeat it with the command that it prints: a time such as 2h moves along, and loses the oldest events.',
    'Exits with 0 if all is done, also if it only counted, and with 1 if an event failed or waits.',
  ],
  examples: [
    'hookgate recover --scheme stripe --url https://example.com/webhooks/stripe --since 2026-11-28T16:00Z',
    'hookgate recover --scheme stripe --url https://… --since 2h --secret-file whsec.txt --token-file key.txt --run',
    'hookgate recover --scheme github --of owner=octocat --of repo=hello-world --url https://… --since 1d --run',
  ],
  async run(given) {
    refuseByName(given.scheme)
    const sender = await readSenderApi(given)
    const { url, mode } = sender
    const api = listedBy(sender)
    const times = timesOf(given, api)
    const { since, until } = times
    const resume = commandOf(given, times)
    const send = given.run ? await sendingOf(given, { ...sender, api }) : undefined
    const atOnce =
      given['at-once'] === undefined ? undefined : wholeNumber('--at-once', given['at-once'], 1, 100)
    remark(`since ${since.toISOString()}. To go on after an interruption:\n  ${resume}`)
    const wanted = { url, since, until, mode, all: given.all ?? false }
    const { found, warnings } = await answered(findAll(sender.client, api, wanted))
    for (const warning of warnings) remark(`warning: ${bounded(warning)}`)
    const counts =
      send === undefined
        ? NONE
        : await sendAll(found, { ...send, ...(atOnce && { atOnce }) }, times.rememberedMs)
    const types = typesOf(found)
    if (given.json)
      print(
        toJsonLine({ since, until: until ?? null, found: found.length, types, ...counts, warnings, resume }),
      )
    else show({ found: found.length, types, ...counts, isRun: send !== undefined, resume })
    return counts.failed.length + counts.waiting > 0 ? EXIT.refused : EXIT.done
  },
})

/** Before a token or a place is asked for, which would not help. */
function refuseByName(scheme = ''): void {
  const why = whyUnrecoverable(scheme)
  if (why !== undefined) throw new UsageError(`--scheme ${scheme}: its ${why}`)
}

function listedBy({ api }: SenderApi): RecoverableApi {
  try {
    return recoverableOf(api)
  } catch (error) {
    throw toUsageError(error, '--scheme')
  }
}

function timesOf(given: Given, api: RecoverableApi) {
  const now = Date.now()
  const timeOf = (option: 'since' | 'until') => {
    const text = given[option]
    if (text === undefined) return undefined
    const agoMs = durationFrom(text)
    const time = agoMs === undefined ? timeFrom(text) : new Date(Math.ceil((now - agoMs) / 1000) * 1000)
    if (time !== undefined) return time
    throw new UsageError(
      `--${option} takes a time with its zone (2026-11-28T16:00Z), or how long ago (30m, 2h, 3d)`,
    )
  }
  const since = timeOf('since')
  const until = timeOf('until')
  if (since === undefined) throw new UsageError('needs --since TIME: 2026-11-28T16:00Z, or 2h')
  const rememberedMs = durationFrom(given.remembers ?? '7d')
  if (rememberedMs === undefined) throw new UsageError('--remembers takes a duration, such as 7d')
  try {
    checkSince({ api, since, until }, { now, rememberedMs })
  } catch (error) {
    throw toUsageError(error, '--since')
  }
  return { since, until, rememberedMs }
}

/** How an event is sent again. @throws UsageError if it cannot be, before anything is asked. */
async function sendingOf(
  given: Given,
  { api, client, url }: SenderApi & { readonly api: RecoverableApi },
): Promise<Send> {
  if (api.redelivery) {
    refuseStray(
      given,
      ['to', 'secret-file', 'at-once'],
      `is not for --scheme ${api.scheme}, which delivers again by itself`,
    )
    return askAgain(client, api.redelivery)
  }
  if (api.missed.record.trust !== 'fetched' || !canSign(await loadScheme(api.scheme)))
    throw new UsageError(
      `--scheme ${api.scheme}: what its API lists cannot be sent again: call recover() in your own code`,
    )
  if (given.to !== undefined) httpUrl('--to', given.to)
  const signer = await readSender(given, api.scheme)
  return postTo(new URL(given.to ?? url), url, signer)
}

interface Counts {
  readonly sent: number
  readonly asked: number
  readonly waiting: number
  readonly failed: readonly { readonly id: string; readonly type: string; readonly why: string }[]
}

const NONE: Counts = { sent: 0, asked: 0, waiting: 0, failed: [] }

const TELL_MS = 1000

/** Oldest first, a few at once. What would fail for all ends it, and the rest waits. */
async function sendAll(
  found: readonly MissedEvent[],
  { one, atOnce }: Send,
  rememberedMs: number,
): Promise<Counts> {
  const counts = { sent: 0, asked: 0 }
  const failed: { id: string; type: string; why: string }[] = []
  let [done, left, isOver] = [0, 0, false]
  let toldAt = Date.now()
  async function take(event: MissedEvent): Promise<void> {
    const isForgotten = Date.now() - event.time * 1000 > rememberedMs
    const why = 'your endpoint has forgotten it meanwhile, so it would run again'
    const outcome: Outcome = isOver ? 'waiting' : isForgotten ? { why } : await one(event)
    done += 1
    if (outcome === 'waiting') left += 1
    else if (typeof outcome === 'string') counts[outcome] += 1
    else {
      isOver ||= outcome.isFinal === true
      failed.push({ id: event.event, type: event.type, why: outcome.why })
      remark(`failed: ${bounded(`${event.event} ${event.type}: ${outcome.why}`)}`)
    }
    if (Date.now() - toldAt < TELL_MS) return
    toldAt = Date.now()
    remark(`${done} of ${found.length}`)
  }
  const queue = found.values()
  const lane = async () => {
    for (const event of queue) await take(event)
  }
  const first = queue.next() // alone, because a wrong secret or URL fails all
  if (!first.done) await take(first.value)
  await Promise.all(Array.from({ length: atOnce }, lane))
  return { ...counts, waiting: left, failed }
}

interface Shown extends Counts {
  readonly found: number
  readonly types: { readonly [type: string]: number }
  readonly isRun: boolean
  readonly resume: string
}

function show({ found, types, isRun, resume, failed, ...counts }: Shown): void {
  print(`found ${found} ${found === 1 ? 'event' : 'events'}`)
  for (const [type, count] of Object.entries(types)) print(`${`${count}`.padStart(6)}  ${bounded(type)}`)
  if (isRun) {
    const done = Object.entries({ ...counts, failed: failed.length }).filter(([, count]) => count > 0)
    print(done.map(([what, count]) => `${what} ${count}`).join(', ') || 'nothing to do')
    if (counts.asked > 0)
      remark('The sender delivers what it was asked for later: repeat the command to see what arrived.')
  } else if (found > 0) remark(`Nothing was sent. To send them:\n  ${resume} --run`)
}

/** The same command with its times as they were understood. */
function commandOf(
  given: Given,
  { since, until }: { readonly since: Date; readonly until?: Date | undefined },
): string {
  const times = { since: since.toISOString(), ...(until && { until: until.toISOString() }) }
  const options = Object.entries({ ...given, ...times }).filter(([name]) => name !== 'run')
  const written = options.flatMap(([name, value]) =>
    typeof value === 'boolean'
      ? [` --${name}`]
      : [value].flat().map((each) => shellOption(`--${name}`, String(each))),
  )
  return `${HOOKGATE} recover${written.join('')}${given.run ? ' --run' : ''}`
}
