import { paint, print, printable, remark, toJsonLine } from '../command-line/output.ts'
import type { ListenAuth } from './auth.ts'
import type { DeliveryLine, DeliveryReport } from './report.ts'

export interface LogOptions {
  readonly json?: boolean
  readonly body?: boolean
  readonly explain?: boolean
}

/** What `listen` prints while it runs. */
export interface TerminalLog {
  tell(report: DeliveryReport): void
  /** The last line: how many deliveries were finished after Ctrl-C, and how many came altogether. */
  summary(finished: number): string
}

export function terminalLog({ json = false, body = false, explain = false }: LogOptions): TerminalLog {
  const counts = new Map<DeliveryLine['verdict'], number>()
  let needsHeader = !json && process.stdout.isTTY === true
  return {
    tell({ line, verdict }) {
      counts.set(line.verdict, (counts.get(line.verdict) ?? 0) + 1)
      if (needsHeader) print(HEADER)
      needsHeader = false
      // Only verified payloads: otherwise a stranger could fill the screen.
      const payload = body && verdict?.ok ? Buffer.from(verdict.event.rawBody).toString('utf8') : undefined
      if (json && body) print(toJsonLine({ ...line, body: payload ?? null }))
      else print(formatDelivery(line, json))
      if (!json && payload !== undefined) print(indented(payload))
      if (explain && verdict?.ok === false && verdict.detail) remark(`  ${printable(verdict.detail)}`)
    },
    summary: (finished) =>
      `${finished > 0 ? `finished ${finished} in flight` : 'stopped'}; received ${received(counts)}`,
  }
}

function received(counts: ReadonlyMap<string, number>): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return 'no deliveries'
  const parts = [...counts].map(([verdict, count]) => `${count} ${verdict}`)
  return `${total} ${total === 1 ? 'delivery' : 'deliveries'}: ${parts.join(', ')}`
}

function indented(payload: string): string {
  const text = isJson(payload) ? prettyJson(payload) : payload
  return printable(text).replace(/^/gm, '  ')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const STYLES = { accepted: 'green', handshake: 'green', refused: 'red', undecided: 'yellow' } as const

/** Together 80 columns. A long reason takes room from the event ID. */
const WIDTHS = { time: 8, status: 3, ms: 6, rest: 60 }
const ID_WIDTH = 36

export const HEADER: string = columns('TIME UTC', '', 'MS', 'EVENT', 'RESULT', (text) => text)

/** Formats one line: NDJSON, or at most 80 columns for a terminal. */
export function formatDelivery(line: DeliveryLine, asJson: boolean): string {
  if (asJson) return toJsonLine(line)
  const result = line.reason ?? line.verdict
  return columns(
    line.time.slice('2026-11-22T'.length, '2026-11-22T17:00:00'.length),
    `${line.status ?? '-'}`,
    line.ms.toFixed(line.ms < 1000 ? 1 : 0),
    printable(line.eventId ?? '-'),
    result,
    (text) => paint(STYLES[line.verdict], text),
  )
}

function columns(
  time: string,
  status: string,
  ms: string,
  eventId: string,
  result: string,
  color: (text: string) => string,
): string {
  const idWidth = Math.min(ID_WIDTH, WIDTHS.rest - 1 - result.length)
  return [
    time.padEnd(WIDTHS.time),
    status.padStart(WIDTHS.status),
    ms.padStart(WIDTHS.ms),
    shorten(eventId, idWidth).padEnd(idWidth),
    color(result),
  ].join(' ')
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

export interface Greeting {
  readonly url: string
  readonly auth: ListenAuth
  /** How to print the store. Undefined for the memory store. */
  readonly store: string | undefined
  readonly forwardTo: URL | undefined
  /** The page of `--ui`, with its token. */
  readonly inspector: string | undefined
}

/** Says where `listen` listens, once it is ready. */
export function greet(
  { url, auth, store, forwardTo, inspector }: Greeting,
  say: (line: string) => void,
): void {
  say(`Listening on ${url}`)
  say(auth.remark)
  if (store !== undefined) say(`Events are remembered in ${printable(store)}`)
  if (forwardTo !== undefined) say(`Verified events go to ${forwardTo.href}`)
  if (inspector !== undefined) say(`Inspector: ${inspector}`)
  say('')
  const command = auth.sendCommand(url)
  if (command === undefined) {
    say('Next, have the sender call that URL.')
  } else {
    say('Next, in another terminal:')
    say(`  ${command} --data '{"hello":"world"}'`)
  }
  say('')
}
