import type { IncomingMessage } from 'node:http'
import type { Delivery, Verdict, VerdictContext } from '../../src/index.ts'
import type { AppAnswer } from '../forward/app.ts'

/** Collects what is known about a delivery while it is answered. Times come from `performance.now()`. */
export interface Progress {
  readonly time: string
  readonly startedAt: number
  /** Undefined when no listener has the path. */
  listenerId?: string
  /** Undefined when the body did not arrive. */
  delivery?: Delivery
  receivedAt?: number
  verdict?: Verdict
  context?: VerdictContext
  decidedAt?: number
  /** What the app answered to an accepted event, with `--forward-to`. */
  app?: AppAnswer | undefined
}

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

/** A finished delivery. Escape it before you print it: most of it is untrusted text. */
export interface DeliveryReport {
  readonly line: DeliveryLine
  readonly request: IncomingMessage
  readonly delivery: Delivery | undefined
  readonly verdict: Verdict | undefined
  readonly app: AppAnswer | undefined
  /** Undefined if the step was not reached. */
  readonly receiveMs: number | undefined
  readonly decideMs: number | undefined
}

/** `status` is null if the sender hung up before the answer. */
export function reportOf(
  progress: Progress,
  request: IncomingMessage,
  status: number | null,
  endedAt: number,
): DeliveryReport {
  const { time, startedAt, receivedAt, decidedAt, delivery, verdict, app } = progress
  const between = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined ? undefined : roundToTenth(to - from)
  return {
    line: { time, ...outcomeOf(progress, status), ms: roundToTenth(endedAt - startedAt) },
    request,
    delivery,
    verdict,
    app,
    receiveMs: between(startedAt, receivedAt),
    decideMs: between(receivedAt, decidedAt),
  }
}

const ACCEPTED = { verdict: 'accepted' } as const
const REFUSED = { verdict: 'refused' } as const
const HANDSHAKE = { verdict: 'handshake' } as const
const UNDECIDED = { verdict: 'undecided' } as const

/** Why the app did not answer an accepted event. */
const SILENT = { answered: null, unreachable: 'upstream_unreachable', unknown: 'upstream_unknown' } as const

function outcomeOf({ listenerId, verdict, context, app }: Progress, status: number | null) {
  const listener = listenerId ?? null
  const eventId = context?.eventId ?? null
  if (listener === null) return { listener, eventId, ...REFUSED, reason: 'listener_unknown', status }
  if (verdict === undefined) return { listener, eventId, ...UNDECIDED, reason: 'unavailable', status }
  if (verdict.ok) return { listener, eventId, ...ACCEPTED, reason: app ? SILENT[app.kind] : null, status }
  if (verdict.handshake) return { listener, eventId, ...HANDSHAKE, reason: null, status }
  return { listener, eventId, ...REFUSED, reason: verdict.reason, status }
}

function roundToTenth(value: number): number {
  return Math.round(value * 10) / 10
}
