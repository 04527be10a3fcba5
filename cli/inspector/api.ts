import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import type { Explanation } from '../../src/explain/index.ts'
import { type Listener, ListenerConfigError } from '../../src/index.ts'
import { parseJson } from '../../src/lib/json.ts'
import { memberOf, textOf } from '../../src/lib/member-of.ts'
import { addressOf } from '../../src/schemes/kit/signed-url.ts'
import type { SignedRequest } from '../../src/signing/sign.ts'
import { toJsonLine } from '../command-line/output.ts'
import { curlCommand, dataOption } from '../command-line/shell.ts'
import type { ListenAuth } from '../listen/auth.ts'
import { namesOf } from './claims.ts'
import { toHar } from './har.ts'
import type { Inspected } from './inspected.ts'
import type { Live } from './live.ts'
import { isSensitive, type Mask, masked } from './mask.ts'
import type { RecentDeliveries } from './recent.ts'
import { toRecord } from './record.ts'
import type { Replay } from './replays.ts'
import { asReceived, type Resigner } from './resigner.ts'
import { type AnswerApi, refuse } from './ui-server.ts'
import { detailOf, MOST_SHOWN, rowOf } from './views.ts'

/** One argument of a command line holds 128 KB on Linux. */
const LARGEST_COMMAND = 100_000
const LARGEST_REQUEST = 8 * 2 ** 20

export interface Board {
  readonly url: string
  readonly listener: Listener<unknown>
  readonly recent: RecentDeliveries
  readonly live: Live
  readonly mask: Mask
  readonly resigner: Resigner | string
  explain(delivery: Inspected): Promise<Explanation>
  /** Where to send a delivery again: `url`, with the query that the sender has signed, if it signs any. */
  urlOf(delivery: Inspected): string
  send(url: string, request: SignedRequest, replay: Replay): Promise<Inspected>
  /** How many deliveries are kept. */
  readonly keep: number
  /** The `send` command to try. */
  readonly command: string | undefined
  /** Whether `listen` answers every path. */
  readonly isAnyPath: boolean
  /** Whether an app is behind `listen`. */
  readonly hasApp: boolean
  readonly auth: Pick<ListenAuth, 'isNewSecret' | 'isGivenSecret'>
}

/** Every answer is masked. */
export function apiOf(board: Board): AnswerApi {
  const { url, listener, recent, live, mask } = board
  const shown = (delivery: Inspected) => rowOf(masked(delivery, mask), listener)
  return async (request, path, response) => {
    const [, seq = '', action = ''] = /^deliveries\/([1-9][0-9]{0,14})(?:\/(send|curl))?$/.exec(path) ?? []
    if (request.method === 'GET') {
      if (path === 'stream') return live.join(response, helloOf(board), recent.all().map(shown))
      const deliveries = () => recent.all().map((delivery) => masked(delivery, mask))
      if (path === 'export.ndjson') {
        const lines = deliveries().map((delivery) => `${toRecord(delivery, [])}\n`)
        return sendFile(response, lines.join(''))
      }
      if (path === 'export.har')
        return sendFile(response, toJsonLine(toHar(deliveries(), new URL(url).origin)))
    }
    if (request.method === 'POST' && path === 'clear') {
      recent.clear()
      live.clear()
      return say(response, {}, mask)
    }
    if (request.method === 'POST' && path === 'search') return search(board, request, response)
    const delivery = recent.get(Number(seq))
    if (seq === '' || !delivery) return refuse(response, 404, 'This delivery is no longer kept.')
    if (action === '' && request.method === 'GET') {
      const { eventId } = namesOf(delivery, listener, MOST_SHOWN)
      const accepted = eventId === null ? undefined : recent.acceptedAs(eventId, delivery.seq)
      const explanation = await board.explain(delivery)
      const other = accepted && masked(accepted, mask)
      return say(response, detailOf(masked(delivery, mask), explanation, listener, other), mask)
    }
    if (action === '' || request.method !== 'POST') return refuse(response, 405, 'Method not allowed.')
    const wish = await readWish(request, delivery)
    if (typeof wish === 'string') return refuse(response, 400, wish)
    return act(board, action, { ...delivery, ...wish }, response)
  }
}

/** In characters. */
const LONGEST_SEARCH = 200
const MOST_WORDS = 8

/**
 * Finds the deliveries whose body has every given word, in any letter case. Reads one body per turn of the event loop, because
 * `listen` answers senders meanwhile, and only what the page would show: nobody can guess a secret by searching for it.
 */
async function search(
  { recent, mask }: Board,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const given = await readJson(request, LONGEST_SEARCH * MOST_WORDS * 8)
  const words = memberOf(given, 'words')
  const isWord = (word: unknown) => typeof word === 'string' && word !== '' && word.length <= LONGEST_SEARCH
  if (!Array.isArray(words) || words.length > MOST_WORDS || !words.every(isWord))
    return refuse(response, 400, `Search for at most ${MOST_WORDS} words of ${LONGEST_SEARCH} characters.`)
  const wanted = words.map((word: string) => word.toLowerCase())
  const found: number[] = []
  for (const delivery of recent.all()) {
    await setImmediate()
    if (response.destroyed) return // the page asks for something else by now
    const text = Buffer.from(mask.bytes(delivery.body, MOST_SHOWN)).toString('utf8').toLowerCase()
    if (wanted.every((word) => text.includes(word))) found.push(delivery.seq)
  }
  return say(response, { found }, mask)
}

/** Undefined if the request is too large, or is not JSON. */
async function readJson(request: IncomingMessage, most: number): Promise<unknown> {
  if (request.headers['content-type'] !== 'application/json') return undefined
  if (Number(request.headers['content-length'] ?? Infinity) > most) return undefined
  const given = parseJson(await buffer(request))
  return 'problem' in given ? undefined : given.value
}

interface Wish {
  readonly body: Uint8Array
  readonly isEdited: boolean
  /** Whether to send the event as a duplicate, instead of running it again. */
  readonly asDuplicate: boolean
}

/** Other characters would change on a command line, or control the terminal. A loaded record may hold any name. */
const isPlain = (name: string, value: string) =>
  /^[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e]*$/.test(`${name}:${value}`)

/** curl would print a compressed answer as it is. */
const isAcceptEncoding = (name: string) => /^accept-encoding$/i.test(name)

async function act(
  board: Board,
  action: string,
  delivery: Inspected & Wish,
  response: ServerResponse,
): Promise<void> {
  const { url, mask, resigner } = board
  try {
    if (action === 'send') {
      const replay = await replayOf(board, delivery)
      if (typeof replay === 'string') return refuse(response, 409, replay)
      const { seq, verdict, reason, status, app } = masked(await board.send(...replay), mask)
      const shown = { seq, verdict, reason, status }
      return say(response, { ...shown, app: app && { status: app.status, problem: app.problem } }, mask)
    }
    if (typeof resigner === 'string') return refuse(response, 409, resigner)
    if (!resigner.expires) {
      return refuse(response, 409, 'This signature would be valid forever. Use hookgate send instead.')
    }
    // Never for the original event: its expected signature must not leave. Nor must the sender's other tokens.
    const harmless = delivery.headers.filter(
      ([name, value]) => !isSensitive(name) && !isAcceptEncoding(name) && isPlain(name, value),
    )
    const resent = { ...delivery, headers: harmless, isNewEvent: true, url }
    const request = await resigner.sign(resent)
    const { headers, body } = request
    const option = dataOption(Buffer.from(body))
    if (option === undefined || body.length > LARGEST_COMMAND) {
      return refuse(response, 409, 'This body cannot be part of a command line. Use hookgate send --file.')
    }
    return say(response, { command: curlCommand(addressOf(url, request), headers, option) }, mask)
  } catch (error) {
    // Show the scheme's own message, e.g. `lacks a value that Twilio signs`. Others may quote the delivery.
    const reason =
      error instanceof ListenerConfigError
        ? `It cannot be signed: ${error.message}.`
        : 'The listener did not answer.'
    return refuse(response, 502, mask.text(reason))
  }
}

/** What to send, or why it cannot be sent. */
async function replayOf(
  { recent, resigner, urlOf }: Board,
  { isEdited, asDuplicate, ...delivery }: Inspected & Wish,
): Promise<[url: string, SignedRequest, Replay] | string> {
  const canSign = typeof resigner !== 'string'
  if (!canSign && (isEdited || asDuplicate)) return resigner
  const url = urlOf(delivery)
  const request = canSign
    ? await resigner.sign({ ...delivery, isNewEvent: false, url })
    : asReceived(delivery)
  const isOldTime = !canSign || resigner.timeIsInBody
  const at = isOldTime ? Date.parse(firstOf(delivery, recent).time) : undefined
  const rerun = asDuplicate ? undefined : { at, sourceIp: delivery.sourceIp ?? undefined }
  return [addressOf(url, request), request, { origin: delivery.seq, rerun }]
}

/** The delivery at the start of a chain of replays. */
function firstOf(delivery: Inspected, recent: RecentDeliveries): Inspected {
  const before = delivery.replayOf === null ? undefined : recent.get(delivery.replayOf)
  return before === undefined ? delivery : firstOf(before, recent)
}

/** The delivery that the page asks to send, or why the request is invalid. */
async function readWish(request: IncomingMessage, delivery: Inspected): Promise<Wish | string> {
  if (request.headers['content-type'] !== 'application/json') return 'Send JSON.'
  if (Number(request.headers['content-length'] ?? Infinity) > LARGEST_REQUEST) return 'The body is over 8 MB.'
  const given = parseJson(await buffer(request))
  if ('problem' in given) return 'Send JSON.'
  const edited = textOf(given.value, 'body')
  const isEdited = edited !== undefined
  if (!isEdited && delivery.truncated) return 'Its body was not read in full, so it cannot be sent again.'
  const body = isEdited ? Buffer.from(edited) : delivery.body
  return { body, isEdited, asDuplicate: memberOf(given.value, 'asDuplicate') === true }
}

function helloOf({ url, isAnyPath, resigner, keep, command, hasApp, auth }: Board): object {
  const canSign = typeof resigner !== 'string'
  return {
    url,
    isAnyPath,
    keep,
    cannotSign: canSign ? null : resigner,
    expires: canSign && resigner.expires,
    command: command ?? null,
    hasApp,
    isNewSecret: auth.isNewSecret ?? false,
    isGivenSecret: auth.isGivenSecret ?? false,
  }
}

function sendFile(response: ServerResponse, content: string): void {
  response.setHeader('content-type', 'application/octet-stream').end(content)
}

function say(response: ServerResponse, value: object, mask: Mask): void {
  // Text by text: a stranger may bring a secret that is part of the JSON, such as `"headers":`.
  const shown = (_name: string, part: unknown) => (typeof part === 'string' ? mask.text(part) : part)
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value, shown))
}
