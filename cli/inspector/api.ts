import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Explanation } from '../../src/explain/index.ts'
import { ListenerConfigError } from '../../src/index.ts'
import type { SignedRequest } from '../../src/signing/sign.ts'
import { toJsonLine } from '../command-line/output.ts'
import { curlCommand, dataOption } from '../command-line/shell.ts'
import { toHar } from './har.ts'
import type { Inspected } from './inspected.ts'
import type { Live } from './live.ts'
import { isSensitive, type Mask, masked } from './mask.ts'
import type { RecentDeliveries } from './recent.ts'
import { toRecord } from './record.ts'
import type { Resigner } from './resigner.ts'
import { type AnswerApi, refuse } from './ui-server.ts'
import { detailOf, rowOf } from './views.ts'

/** One argument of a command line holds 128 KB on Linux. */
const LARGEST_COMMAND = 100_000
const LARGEST_REQUEST = 8 * 2 ** 20

/** The requests of the page. */
export interface Board {
  readonly url: string
  readonly recent: RecentDeliveries
  readonly live: Live
  readonly mask: Mask
  readonly resigner: Resigner | string
  explain(delivery: Inspected): Promise<Explanation>
  /** @returns The status of the answer. */
  send(request: SignedRequest, origin: number): Promise<number>
}

/** Answers the page's requests. Every answer is masked. */
export function apiOf(board: Board): AnswerApi {
  const { recent, live, mask } = board
  const shown = (delivery: Inspected) => rowOf(masked(delivery, mask))
  return async (request, path, response) => {
    const [, seq = '', action = ''] = /^deliveries\/([1-9][0-9]{0,14})(?:\/(send|curl))?$/.exec(path) ?? []
    if (request.method === 'GET') {
      if (path === 'stream') return live.join(response, helloOf(board), recent.all().map(shown))
      if (path === 'export.ndjson') return file(response, await ndjsonOf(board))
      if (path === 'export.har') return file(response, harOf(board))
    }
    const delivery = recent.get(Number(seq))
    if (seq === '' || !delivery) return refuse(response, 404, 'This delivery is no longer kept.')
    if (action === '' && request.method === 'GET') {
      return say(response, detailOf(masked(delivery, mask), await board.explain(delivery)), mask)
    }
    if (action === '' || request.method !== 'POST') return refuse(response, 405, 'Method not allowed.')
    const wish = await readWish(request, delivery)
    if (typeof wish === 'string') return refuse(response, 400, wish)
    if (typeof board.resigner === 'string') return refuse(response, 409, board.resigner)
    return act(board, board.resigner, action, { ...delivery, ...wish }, response)
  }
}

type Wish = Pick<Inspected, 'body'> & { readonly isNewEvent: boolean }

/** A command line would send other characters in other bytes, and a terminal may obey them. A record may hold any name. */
const isPlain = (name: string, value: string) =>
  /^[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e]*$/.test(`${name}:${value}`)

async function act(
  { url, send, mask }: Board,
  resigner: Resigner,
  action: string,
  wanted: Inspected & Wish,
  response: ServerResponse,
): Promise<void> {
  try {
    if (action === 'send')
      return say(response, { status: await send(await resigner.sign(wanted), wanted.seq) }, mask)
    if (!resigner.expires) {
      return refuse(response, 409, 'This signature would be valid forever. Use hookgate send instead.')
    }
    // Never for the original event: its expected signature must not leave. Nor must the sender's other tokens.
    const harmless = wanted.headers.filter(([name, value]) => !isSensitive(name) && isPlain(name, value))
    const { headers, body } = await resigner.sign({ ...wanted, headers: harmless, isNewEvent: true })
    const option = dataOption(Buffer.from(body))
    if (option === undefined || body.length > LARGEST_COMMAND) {
      return refuse(response, 409, 'This body cannot be part of a command line. Use hookgate send --file.')
    }
    return say(response, { command: curlCommand(url, headers, option) }, mask)
  } catch (error) {
    // Show the scheme's own message, e.g. `lacks a value that Twilio signs`. Others may quote the delivery.
    const reason =
      error instanceof ListenerConfigError
        ? `It cannot be signed: ${error.message}.`
        : 'The listener did not answer.'
    return refuse(response, 502, mask.text(reason))
  }
}

/** The delivery that the page asks to send, or why the request is invalid. */
async function readWish(request: IncomingMessage, delivery: Inspected): Promise<Wish | string> {
  if (request.headers['content-type'] !== 'application/json') return 'Send JSON.'
  if (Number(request.headers['content-length'] ?? Infinity) > LARGEST_REQUEST) return 'The body is over 8 MB.'
  const text = (await buffer(request)).toString('utf8')
  let given: { readonly isNewEvent?: unknown; readonly body?: unknown }
  try {
    given = Object(JSON.parse(text))
  } catch {
    return 'Send JSON.'
  }
  const isEdited = typeof given.body === 'string'
  if (!isEdited && delivery.truncated) return 'Its body was not read in full, so it cannot be sent again.'
  const body = isEdited ? Buffer.from(String(given.body)) : delivery.body
  return { body, isNewEvent: given.isNewEvent === true }
}

function helloOf({ url, resigner }: Board): object {
  const canSend = typeof resigner !== 'string'
  return {
    url,
    cannotSend: canSend ? null : resigner,
    takesNewId: canSend && resigner.takesNewId,
    expires: canSend && resigner.expires,
  }
}

async function ndjsonOf({ recent, mask }: Board): Promise<string> {
  return recent
    .all()
    .map((delivery) => `${toRecord(masked(delivery, mask), [])}\n`)
    .join('')
}

function harOf({ recent, mask, url }: Board): string {
  const deliveries = recent.all().map((delivery) => masked(delivery, mask))
  return toJsonLine(toHar(deliveries, new URL(url).origin))
}

function file(response: ServerResponse, content: string): void {
  response.setHeader('content-type', 'application/octet-stream').end(content)
}

function say(response: ServerResponse, value: object, mask: Mask): void {
  response.setHeader('content-type', 'application/json').end(mask.text(JSON.stringify(value)))
}
