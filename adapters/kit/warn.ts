import { explained } from '#crypto'
import { CodedError, ERRORS_PAGE } from '../../src/errors.ts'
import { type Clock, timeOf } from '../../src/lib/clock.ts'
import { callHook } from '../../src/lib/hooks.ts'
import { isA, textOf } from '../../src/lib/member-of.ts'
import type { Listener, VerdictContext } from '../../src/listener.ts'
import type { Reason } from '../../src/reason.ts'
import { told, writeWarning } from '../../src/told.ts'
import type { Rejected } from '../../src/verdict.ts'
import type { Verification } from '../../src/verification.ts'

const PAUSE_MS = 60_000
const MOST_IDS = 1000
/** For each code of a listener: the causes told in a minute, and the failures looked at in a second. A flood costs no more. */
const MOST_CAUSES = 40
const LOOK_MS = 1000

/** What was told of a listener and a reason. */
interface Told {
  /** When each cause was told, by the listener's clock. */
  readonly causes: Map<string, number>
  lookingSince: number
  looks: number
}

/** By listener and reason. When full, drops the listener that came first. */
const lastWarned = new Map<string, Map<string, Told>>()

/**
 * Warns of a refusal once a minute, if the listener has no `onVerdict`. On Node and Bun, it may also be explained. Not of the sender's next
 * attempt at the same event.
 */
export function warnOfRefusal(
  verification: Pick<Verification, 'delivery' | 'listener'>,
  verdict: Rejected,
  what: string = 'refused a delivery',
): void {
  const { listener } = verification
  const { reason } = verdict
  if (listener.onVerdict === null || isClaimed(reason)) return
  const now = timeIn(listener.clock)
  const isNew = listener.onVerdict === undefined && recordIfNew(listener.id, reason, now)
  if (!explained(verification, verdict, what, now, isNew) && isNew) warn(listener, what, reason, 'onVerdict')
}

/** Whether the event was claimed before. */
export const isClaimed = (reason: Reason | undefined): boolean =>
  reason === 'event_duplicate' || reason === 'event_in_progress'

/** Warns of a failure if the listener has no `onError`. Another cause is told at once, up to a few a minute. */
export function warnOfFailure(
  listener: Pick<Listener<unknown>, 'id' | 'clock' | 'onError'>,
  code: string,
  error: unknown,
): void {
  if (listener.onError !== undefined) return
  const now = timeIn(listener.clock)
  if (!mayLook(listener.id, code, now)) return
  const why = told(error)
  if (recordIfNew(listener.id, code, now, why)) warn(listener, 'failed', code, 'onError', why)
}

/** Tells a failure to `onError`, or to the console. Never throws, whatever `error` is. */
export function reportFailure(
  listener: Listener<unknown>,
  error: unknown,
  context: Omit<VerdictContext, 'listenerId'>,
): void {
  callHook(listener.onError, error, { listenerId: listener.id, ...context })
  warnOfFailure(listener, codeOf(error, 'ERR_LISTENER_CONFIG'), error)
}

/** Only our own codes: others have no entry in docs/errors.md, and may quote strangers. */
export function codeOf(error: unknown, otherwise: string): string {
  return (isA(error, CodedError) && textOf(error, 'code')) || otherwise
}

type Named = Pick<Listener<unknown>, 'id'>

function warn(
  listener: Named,
  what: string,
  reason: string,
  hook: 'onVerdict' | 'onError',
  why?: string,
): void {
  const first =
    reason === 'signature_mismatch' ? 'check the secret, and that nothing changes the body first; see ' : ''
  const page = ERRORS_PAGE + reason.toLowerCase()
  const hint = `set ${hook} for the details, or null for silence`
  const because = why === undefined ? '' : `: ${why.replace(/\.$/, '')}`
  writeWarning(listener, what, reason, `${because}. What to do: ${first}${page} (${hint})`)
}

/** If the listener's clock is broken, the platform's time. */
function timeIn(clock: Clock): number {
  try {
    const now = timeOf(clock)
    if (Number.isFinite(now)) return now
  } catch {}
  return Date.now()
}

/** Whether there is time to read what has failed. */
function mayLook(id: string, reason: string, now: number): boolean {
  const last = toldOf(id, reason)
  if (Math.abs(now - last.lookingSince) >= LOOK_MS) {
    last.lookingSince = now
    last.looks = 0
  }
  last.looks += 1
  return last.looks <= MOST_CAUSES
}

/** Returns true at most once a minute for each listener, reason and cause. */
function recordIfNew(id: string, reason: string, now: number, cause: string = ''): boolean {
  const { causes } = toldOf(id, reason)
  const isOld = (at: number) => Math.abs(now - at) >= PAUSE_MS
  if (!isOld(causes.get(cause) ?? -Infinity)) return false
  for (const [told, at] of causes) if (isOld(at)) causes.delete(told)
  if (causes.size >= MOST_CAUSES) return false
  causes.set(cause, now)
  return true
}

function toldOf(id: string, reason: string): Told {
  let reasons = lastWarned.get(id)
  if (reasons === undefined) {
    if (lastWarned.size >= MOST_IDS) lastWarned.delete(lastWarned.keys().next().value ?? '')
    reasons = new Map()
    lastWarned.set(id, reasons)
  }
  let last = reasons.get(reason)
  if (last === undefined) {
    last = { causes: new Map(), lookingSince: -Infinity, looks: 0 }
    reasons.set(reason, last)
  }
  return last
}

/** Reported to `onError`, never thrown. */
export class ReportedError extends CodedError<'ERR_REDIRECTED' | 'ERR_TOO_MANY_BODIES'> {
  constructor(code: ReportedError['code'], message: string) {
    super('ReportedError', code, message)
  }
}
