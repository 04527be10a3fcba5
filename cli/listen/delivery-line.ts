import { paint, printable, toJsonLine } from '../command-line/output.ts'

/** One delivery. The keys are stable. Holds no untrusted text except an event ID of valid form. */
export interface DeliveryLine {
  /** When it arrived, ISO 8601. */
  readonly time: string
  /** Null when no listener has the path. */
  readonly listener: string | null
  /** Null unless it is a UUID v4. */
  readonly eventId: string | null
  /** `undecided`: the store or the key host failed, and the sender was told to retry (503). */
  readonly verdict: 'accepted' | 'handshake' | 'refused' | 'undecided'
  readonly reason: string | null
  /** Null if the sender hung up before the answer. */
  readonly status: number | null
  readonly ms: number
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
