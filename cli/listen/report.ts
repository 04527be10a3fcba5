import type { IncomingMessage } from 'node:http'
import type { Evidence } from '../../src/auth/evidence.ts'
import type { Delivery, Verdict, VerdictContext, WebhookEvent } from '../../src/index.ts'
import type { Protocol } from '../../src/protocol.ts'
import type { AppAnswer } from '../forward/app.ts'

/** How to check an event that runs again. */
export interface Rerun {
  /** The time to check it at, for signed times that cannot be renewed. In milliseconds since 1970. Undefined: now. */
  readonly at: number | undefined
  /** The address that the delivery first came from. */
  readonly sourceIp: string | undefined
}

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
  /** Set if the inspector runs it again. */
  rerun?: Rerun
  /** Whether `listen` itself failed, and answered 500. */
  failed?: true
}

/** One delivery. The keys are stable. Escape the event's ID and type before you print them: they are the sender's text. */
export interface DeliveryLine {
  /** When it arrived, ISO 8601. */
  readonly time: string
  /** Null when no listener has the path. */
  readonly listener: string | null
  /** The sender's ID, as in `event.id`. Null unless it has passed its check. */
  readonly eventId: string | null
  /** The sender's name for what happened. Null if its scheme names none. */
  readonly eventType: string | null
  /** Which of them nothing signs: an attacker with a captured delivery can change them. */
  readonly unsigned: readonly ('id' | 'type' | 'sentAt')[]
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

/** Why the app did not answer an accepted event. */
const SILENT = { answered: null, unreachable: 'upstream_unreachable', unknown: 'upstream_unknown' } as const

function outcomeOf({ listenerId, verdict, context, app, failed }: Progress, status: number | null) {
  const { eventId = null, eventType = null, unsigned = [] } = context ?? {}
  const known = { listener: listenerId ?? null, eventId, eventType, unsigned, status }
  if (failed)
    return { ...known, verdict: verdict?.ok ? 'accepted' : 'undecided', reason: 'internal' } as const
  if (listenerId === undefined) return { ...known, verdict: 'refused', reason: 'listener_unknown' } as const
  if (verdict === undefined) return { ...known, verdict: 'undecided', reason: 'unavailable' } as const
  if (verdict.ok) return { ...known, verdict: 'accepted', reason: app ? SILENT[app.kind] : null } as const
  if (verdict.handshake) return { ...known, verdict: 'handshake', reason: null } as const
  return { ...known, verdict: 'refused', reason: verdict.reason } as const
}

/** When the sender says it sent an event. Undefined if it does not say, as `event.sentAt` is then the time of arrival. */
export function saidTimeOf(
  { sentAt, payload }: WebhookEvent<unknown>,
  { time, timeOf }: Protocol,
): Date | undefined {
  if (time === undefined) return undefined
  const isMissing = 'member' in time && Number.isNaN(timeOf({ payload } as Evidence)) // reads no more of it
  return isMissing ? undefined : sentAt
}

function roundToTenth(value: number): number {
  return Math.round(value * 10) / 10
}
