import { explained } from '#crypto'
import { CodedError, ERRORS_PAGE } from '../../src/errors.ts'
import { type Clock, timeOf } from '../../src/lib/clock.ts'
import { callHook } from '../../src/lib/hooks.ts'
import { isA, textOf } from '../../src/lib/member-of.ts'
import { Recent } from '../../src/lib/recent.ts'
import type { Listener, VerdictContext } from '../../src/listener.ts'
import type { Reason } from '../../src/reason.ts'
import { told, writeWarning } from '../../src/told.ts'
import type { Rejected } from '../../src/verdict.ts'
import type { Verification } from '../../src/verification.ts'

/** How many codes of listeners are remembered, and how many lines of a kind all listeners have in a minute, as there may be more. */
const MOST_LINES = 1000
/** For each code of a listener: the causes told in a minute, and the failures looked at in a second. A flood costs no more. */
const MOST_CAUSES = 40

/** The causes that were told, by code and listener. When full, drops what came first. */
const lastWarned = new Map<string, Recent>()
const refusals = /* @__PURE__ */ new Recent()
/** Apart, because strangers can use up the lines of refusals. */
const failures = /* @__PURE__ */ new Recent()

/** Whether there is room for a line, and it is new. */
function isNewLine(lines: Recent, told: Recent, why: string, now: number): boolean {
  return lines.hasRoom(now, MOST_LINES) && told.note(why, now, MOST_CAUSES) && lines.note({}, now)
}

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
  const isNew = listener.onVerdict === undefined && isNewLine(refusals, toldOf(listener.id, reason), '', now)
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
  const before = toldOf(listener.id, code)
  if (!before.mayLook(now, MOST_CAUSES)) return
  const why = told(error)
  if (isNewLine(failures, before, why, now)) warn(listener, 'failed', code, 'onError', why)
}

/** Tells a failure to `onError`, or to the console. Never throws, whatever `error` is. */
export function reportFailure(
  listener: Listener<unknown>,
  error: unknown,
  context: Omit<VerdictContext, 'listenerId'>,
): void {
  callHook(listener.onError, error, { listenerId: listener.id, ...context })
  warnOfFailure(listener, codeOf(error), error)
}

/** Only our own codes: others have no entry in docs/errors.md, and may quote strangers. */
export function codeOf(error: unknown): string {
  return (isA(error, CodedError) && textOf(error, 'code')) || 'ERR_LISTENER_CONFIG'
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

function toldOf(id: string, code: string): Recent {
  const key = `${code} ${id}`
  const last = lastWarned.get(key) ?? new Recent()
  lastWarned.set(key, last)
  if (lastWarned.size > MOST_LINES) lastWarned.delete(lastWarned.keys().next().value ?? '')
  return last
}

/** Reported to `onError`, never thrown. */
export class ReportedError extends CodedError<'ERR_REDIRECTED' | 'ERR_TOO_MANY_BODIES'> {
  constructor(code: ReportedError['code'], message: string) {
    super('ReportedError', code, message)
  }
}
