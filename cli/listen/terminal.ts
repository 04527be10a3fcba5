import { parseJson } from '../../src/lib/json.ts'
import { paint, print, printable, remark, toJsonLine } from '../command-line/output.ts'
import type { ListenAuth } from './auth.ts'
import type { ListenValues } from './options.ts'
import type { DeliveryLine, DeliveryReport } from './report.ts'

interface LogOptions extends Pick<ListenValues, 'json' | 'body' | 'explain' | 'scheme'> {
  /** The only path that the listener answers. Undefined: every path. */
  readonly path: string | undefined
  readonly forwardTo: URL | undefined
}

/** For pipes, and for terminals that report 0 columns. */
const DEFAULT_COLUMNS = 80

/** What `listen` prints while it runs. */
export function terminalLog({
  json = false,
  body = false,
  explain = false,
  scheme,
  path,
  forwardTo,
}: LogOptions) {
  const counts = new Map<DeliveryLine['verdict'], number>()
  const givenHints = new Set<string | undefined>()
  let needsHeader = !json && process.stdout.isTTY === true
  return {
    printReport({ line, verdict }: DeliveryReport): void {
      counts.set(line.verdict, (counts.get(line.verdict) ?? 0) + 1)
      const layout = { columns: process.stdout.columns || DEFAULT_COLUMNS, hasTypes: scheme !== undefined }
      if (needsHeader) print(headerLine(layout))
      needsHeader = false
      // Only verified payloads: otherwise a stranger could fill the screen.
      const payload = body && verdict?.ok ? verdict.event.rawBody : undefined
      const text = payload ? Buffer.from(payload).toString('utf8') : null
      if (json) print(toJsonLine(body ? { ...line, body: text } : line))
      else print(formatDelivery(line, layout))
      if (!json && payload && text !== null) {
        print(printable('value' in parseJson(payload) ? prettyJson(text) : text).replace(/^/gm, '  '))
      }
      if (explain && verdict?.ok === false && verdict.detail) remark(`  ${printable(verdict.detail)}`)
      const hint = json ? undefined : hintFor(line, { explain, path, forwardTo })
      if (hint !== undefined && !givenHints.has(hint)) remark(`  ${hint}`)
      givenHints.add(hint)
    },
    /** The last line: how many deliveries were finished after Ctrl-C, and how many came altogether. */
    summary: (finished: number): string =>
      `${finished > 0 ? `finished ${finished} in flight` : 'stopped'}; received ${received(counts)}`,
  }
}

const UNAUTHORIZED = 401
const NOT_FOUND = 404

/** What to do next. Each hint is printed once. */
function hintFor(
  { reason, verdict, status }: DeliveryLine,
  { explain, path, forwardTo }: Pick<LogOptions, 'explain' | 'path' | 'forwardTo'>,
) {
  if (reason === 'listener_unknown')
    return `only --path ${path} is answered: enter it at the sender, or leave --path out`
  if (verdict === 'accepted' && status === NOT_FOUND && forwardTo?.pathname === '/')
    return `your app has no route for POST ${forwardTo.href}: give its path, e.g. --forward-to ${forwardTo.host}/webhooks`
  if (verdict === 'accepted' && status === UNAUTHORIZED && forwardTo !== undefined)
    return 'your app refused what is verified here: give both the same secret and, if the sender signs the URL, the same public URL'
  if (verdict === 'handshake' && Number(status) >= 400)
    return 'this handshake is refused: if the sender has a verify token, give it as --verify-token-file or HOOKGATE_VERIFY_TOKEN'
  const isExplained = explain || verdict !== 'refused' || (status !== 400 && status !== 401)
  return isExplained ? undefined : 'to see why a delivery is refused, add --explain'
}

function received(counts: ReadonlyMap<string, number>): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return 'no deliveries'
  const parts = [...counts].map(([verdict, count]) => `${count} ${verdict}`)
  return `${total} ${total === 1 ? 'delivery' : 'deliveries'}: ${parts.join(', ')}`
}

interface Layout {
  readonly columns: number
  /** Whether the listener's sender may name the type of an event. */
  readonly hasTypes: boolean
}

const TIME_WIDTH = 8
const STATUS_WIDTH = 3
const MS_WIDTH = 6
const REST = TIME_WIDTH + STATUS_WIDTH + MS_WIDTH + 3
/** Fits `signature_mismatch`. A longer result narrows the column of the type. */
const RESULT_WIDTH = 18
const MOST_TYPE_WIDTH = 20
/** The narrowest column that still identifies an event. */
const LEAST_WIDTH = 8
/** Marks an ID that the signature does not cover. */
const UNSIGNED_MARK = '*'

export function headerLine(layout: Layout): string {
  return columnsOf(layout, 'TIME UTC', '', 'MS', 'RESULT', 'TYPE', 'EVENT')
}

/** In UTC. */
export function timeOfDay({ time }: Pick<DeliveryLine, 'time'>): string {
  return time.slice('2026-11-22T'.length, '2026-11-22T17:00:00'.length)
}

export function formatDelivery(line: DeliveryLine, layout: Layout): string {
  const mark = line.unsigned.includes('id') ? UNSIGNED_MARK : ''
  return columnsOf(
    layout,
    timeOfDay(line),
    `${line.status ?? '-'}`,
    line.ms.toFixed(line.ms < 1000 ? 1 : 0),
    resultOf(line),
    oneLine(line.eventType ?? '-'),
    line.eventId === null ? '-' : oneLine(line.eventId) + mark,
    (text) => painted(line, text),
  )
}

/** Only an app answers an accepted event with anything but 2xx. */
function resultOf({ verdict, reason, status }: DeliveryLine): string {
  if (reason !== null) return reason
  return verdict === 'accepted' && status !== null && status >= 300 ? `accepted, app ${status}` : verdict
}

const oneLine = (text: string) => printable(text).replace(/\s/g, ' ')

/** Green only if the sender's event is done. A duplicate is neutral, because it needs nobody's attention. */
function painted({ verdict, reason, status }: DeliveryLine, text: string): string {
  if (reason === 'event_duplicate') return text
  if (verdict === 'undecided' || reason === 'event_in_progress') return paint('yellow', text)
  if (verdict === 'refused' || status === null || status >= 400) return paint('red', text)
  if (verdict === 'handshake') return paint('gray', text)
  return paint(status >= 300 ? 'yellow' : 'green', text)
}

/** Aligns the columns, unless a long result pushes the event ID aside. The event ID takes the rest of the line. */
function columnsOf(
  { columns, hasTypes }: Layout,
  time: string,
  status: string,
  ms: string,
  result: string,
  type: string,
  eventId: string,
  color: (text: string) => string = (text) => text,
): string {
  const shown = shorten(result, columns - REST)
  const room = columns - REST - RESULT_WIDTH - 1
  const typeColumn =
    hasTypes && room > 2 * LEAST_WIDTH ? Math.min(MOST_TYPE_WIDTH, room - 1 - LEAST_WIDTH) : 0
  const spill = Math.max(0, shown.length - RESULT_WIDTH)
  const typeWidth = Math.max(0, typeColumn - spill)
  const idWidth = room - spill - (typeWidth > 0 ? typeWidth + 1 : 0)
  const cells = [
    time.padEnd(TIME_WIDTH),
    status.padStart(STATUS_WIDTH),
    ms.padStart(MS_WIDTH),
    color(shown) + ' '.repeat(Math.max(0, RESULT_WIDTH - shown.length)),
    ...(typeWidth > 0 ? [shorten(type, typeWidth).padEnd(typeWidth)] : []),
    ...(idWidth >= LEAST_WIDTH ? [shorten(eventId, idWidth)] : []),
  ]
  return cells.join(' ').trimEnd()
}

/** Keeps both ends, because people tell IDs apart by them. */
function shorten(text: string, width: number): string {
  if (text.length <= width) return text
  const half = (width - 1) / 2
  return `${text.slice(0, Math.ceil(half))}…${text.slice(text.length - Math.floor(half))}`
}

/** Strings, punctuation and everything else. The alternatives begin with different characters, hence linear time. */
const TOKENS = /"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^\s"[\]{},:]+/gs

/**
 * Indents valid JSON by two spaces. Numbers and strings stay as they were written: parsing and printing would turn `1.0` into
 * `1` and round long numbers.
 */
export function prettyJson(json: string): string {
  let [text, depth, previous] = ['', 0, '']
  const newLine = () => `\n${'  '.repeat(depth)}`
  for (const [token] of json.matchAll(TOKENS)) {
    const isEmpty = (token === '}' && previous === '{') || (token === ']' && previous === '[')
    if (token === '}' || token === ']') depth -= 1
    if (isEmpty) text += token
    else if (token === '}' || token === ']') text += newLine() + token
    else if (token === ':') text += ': '
    else if (token === ',') text += token
    else text += (previous === ',' || previous === '{' || previous === '[' ? newLine() : '') + token
    if (token === '{' || token === '[') depth += 1
    previous = token
  }
  return text
}

interface Greeting {
  readonly url: string
  /** The only path that is answered. Undefined: every path. */
  readonly path: string | undefined
  readonly auth: ListenAuth
  /** The `send` command to try. */
  readonly command: string | undefined
  /** How to print the store. Undefined for the memory store. */
  readonly store: string | undefined
  readonly forwardTo: URL | undefined
  /** The page of `--ui`, with its token. */
  readonly inspector: string | undefined
}

export function greet(
  { url, path, auth, command, store, forwardTo, inspector }: Greeting,
  say: (line: string) => void,
): void {
  say(`Listening on ${url}`)
  if (path === undefined) say("Every path is answered, so the path in the sender's URL need not change.")
  say(auth.remark)
  if (store !== undefined) say(`Events are remembered in ${printable(store)}`)
  if (forwardTo !== undefined) say(`Verified events go to ${forwardTo.href}`)
  if (inspector !== undefined) say(`Inspector: ${inspector}`)
  say('')
  if (command === undefined) {
    say('Next, have the sender call that URL.')
  } else {
    const where = auth.isGivenSecret ? ' where HOOKGATE_SECRET is the same secret' : ''
    say(`Next, in another terminal${where}:`)
    say(`  ${auth.isNewSecret ? `HOOKGATE_SECRET=${auth.secret} ` : ''}${command}`)
  }
  say('')
}
