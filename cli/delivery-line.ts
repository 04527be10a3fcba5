import { paint, toJsonLine } from './output.ts'

/** What is told of a delivery. The keys are stable. Of what a stranger sent, only a proven event ID is in it. */
export interface DeliveryLine {
  /** When it arrived, ISO 8601. */
  readonly time: string
  /** Null when no listener has the path. */
  readonly listener: string | null
  /** Null unless it is a UUID v4. */
  readonly eventId: string | null
  /** `undecided`: the store or the key host failed, and the sender was told to come back (503). */
  readonly verdict: 'accepted' | 'handshake' | 'refused' | 'undecided'
  readonly reason: string | null
  /** Null when the sender was gone before it could be answered. */
  readonly status: number | null
  readonly ms: number
}

const STYLES = { accepted: 'green', handshake: 'green', refused: 'red', undecided: 'yellow' } as const
const WIDTHS = { eventId: 36, verdict: 9, reason: 22 }

export const COLUMNS = 'time, listener, event id, verdict, reason, status, milliseconds'

export function formatDelivery(line: DeliveryLine, asJson: boolean): string {
  if (asJson) return toJsonLine(line)
  return [
    line.time,
    line.listener === null ? '-' : encodeURIComponent(line.listener),
    (line.eventId ?? '-').padEnd(WIDTHS.eventId),
    paint(STYLES[line.verdict], line.verdict.padEnd(WIDTHS.verdict)),
    (line.reason ?? '-').padEnd(WIDTHS.reason),
    line.status ?? '-',
    line.ms.toFixed(1),
  ].join(' ')
}
