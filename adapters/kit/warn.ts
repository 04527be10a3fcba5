import { CodedError, ERRORS_PAGE } from '../../src/errors.ts'
import { type Clock, timeOf } from '../../src/lib/clock.ts'
import { callHook } from '../../src/lib/hooks.ts'
import { isA } from '../../src/lib/member-of.ts'
import type { Listener, VerdictContext } from '../../src/listener.ts'
import type { Rejected } from '../../src/verdict.ts'
import type { Verification } from '../../src/verification.ts'
import { explained } from './explained.ts'

const PAUSE_MS = 60_000
const MOST_IDS = 1000

/** When each listener's reasons were last told, by its clock. When full, drops the listener that came first. */
const lastWarned = new Map<string, Map<string, number>>()

/**
 * Warns of a refusal if the listener has no `onVerdict`, or if a person watches. Not of the sender's next attempt at the same event.
 */
export function warnOfRefusal(
  verification: Pick<Verification, 'delivery' | 'listener'>,
  verdict: Rejected,
  what: string = 'refused a delivery',
): void {
  const { listener } = verification
  const { reason } = verdict
  const isExpected = reason === 'event_duplicate' || reason === 'event_in_progress'
  if (listener.onVerdict === null || isExpected) return
  const isNew = listener.onVerdict === undefined && recordIfNew(listener.id, reason, timeIn(listener.clock))
  const explanation = explained(verification, verdict, timeIn(listener.clock))
  if (explanation === undefined) {
    if (isNew) warn(listener, what, reason, 'onVerdict')
    return
  }
  void explanation.then((line) => {
    if (line !== undefined) write(`${beginning(listener, what, reason)}. ${line}`)
    else if (isNew) warn(listener, what, reason, 'onVerdict')
  })
}

/** Warns of a failure if the listener has no `onError`. Shows only its code: messages and causes may quote strangers. */
export function warnOfFailure(
  listener: Pick<Listener<unknown>, 'id' | 'clock' | 'onError'>,
  code: string,
): void {
  if (listener.onError !== undefined || !recordIfNew(listener.id, code, timeIn(listener.clock))) return
  warn(listener, 'failed', code, 'onError')
}

/** Tells a failure to `onError`, or to the console. Never throws, whatever `error` is. */
export function reportFailure(
  listener: Listener<unknown>,
  error: unknown,
  context: Omit<VerdictContext, 'listenerId'>,
): void {
  callHook(listener.onError, error, { listenerId: listener.id, ...context })
  warnOfFailure(listener, codeOf(error, 'ERR_LISTENER_CONFIG'))
}

/** Only our own codes: others have no entry in docs/errors.md, and may quote strangers. */
export function codeOf(error: unknown, otherwise: string): string {
  return isA(error, CodedError) ? error.code : otherwise
}

type Named = Pick<Listener<unknown>, 'id'>

function warn(listener: Named, what: string, reason: string, hook: 'onVerdict' | 'onError'): void {
  const first =
    reason === 'signature_mismatch' ? 'check the secret, and that nothing changes the body first; see ' : ''
  const page = ERRORS_PAGE + reason.toLowerCase()
  const hint = `set ${hook} for the details, or null for silence`
  write(`${beginning(listener, what, reason)}. What to do: ${first}${page} (${hint})`)
}

const beginning = ({ id }: Named, what: string, reason: string) =>
  `hookgate: listener ${JSON.stringify(id)} ${what}: ${reason}`

const write = (text: string) => callHook(() => console.warn(text)) // a replaced console may throw

/** If the listener's clock is broken, the platform's time. */
function timeIn(clock: Clock): number {
  try {
    const now = timeOf(clock)
    if (Number.isFinite(now)) return now
  } catch {}
  return Date.now()
}

/** Returns true at most once a minute for each listener and reason. */
function recordIfNew(id: string, reason: string, now: number): boolean {
  const reasons = lastWarned.get(id) ?? new Map<string, number>()
  if (Math.abs(now - (reasons.get(reason) ?? -Infinity)) < PAUSE_MS) return false
  if (!lastWarned.has(id) && lastWarned.size >= MOST_IDS)
    lastWarned.delete(lastWarned.keys().next().value ?? '')
  lastWarned.set(id, reasons.set(reason, now))
  return true
}

/** Reported to `onError`, never thrown. */
export class ReportedError extends CodedError<'ERR_REDIRECTED' | 'ERR_TOO_MANY_BODIES'> {
  constructor(code: ReportedError['code'], message: string) {
    super('ReportedError', code, message)
  }
}
