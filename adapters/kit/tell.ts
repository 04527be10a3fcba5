import { CodedError, ERRORS_PAGE } from '../../src/errors.ts'
import { callHook } from '../../src/lib/hooks.ts'
import type { Listener, VerdictContext } from '../../src/listener.ts'
import type { Reason } from '../../src/reason.ts'

const PAUSE_MS = 60_000
const MOST_IDS = 1000

/** When each listener's reasons were last told, by its clock. The listener that was met first is dropped first. */
const told = new Map<string, Map<string, number>>()

/** Tells a refusal of a listener that has no `onVerdict`. The sender's next attempt at the same event is no news. */
export function warnOfRefusal(
  listener: Listener<unknown>,
  reason: Reason,
  what: string = 'refused a delivery',
): void {
  const isExpected = reason === 'event_duplicate' || reason === 'event_in_progress'
  if (listener.onVerdict !== undefined || isExpected) return
  warn(listener, what, reason, 'onVerdict')
}

/** Tells a failure of a listener that has no `onError`, by its code only: messages and causes may quote strangers. */
export function warnOfFailure(
  listener: Pick<Listener<unknown>, 'id' | 'clock' | 'onError'>,
  code: string,
): void {
  if (listener.onError === undefined) warn(listener, 'failed', code, 'onError')
}

/** Tells a failure to `onError`, or to the console. */
export function tellFailure(
  listener: Listener<unknown>,
  error: Error & { readonly code: string },
  context: Omit<VerdictContext, 'listenerId'>,
): void {
  callHook(listener.onError, error, { listenerId: listener.id, ...context })
  warnOfFailure(listener, error.code)
}

function warn(
  { id, clock }: Pick<Listener<unknown>, 'id' | 'clock'>,
  what: string,
  reason: string,
  hook: 'onVerdict' | 'onError',
): void {
  if (!isNews(id, reason, clock.now())) return
  const first = reason === 'signature_mismatch' ? 'try hookgate/explain, see ' : ''
  console.warn(
    `hookgate: listener ${JSON.stringify(id)} ${what}: ${reason}. What to do: ${first}${ERRORS_PAGE}${reason.toLowerCase()} (set ${hook} for the details, or null for silence)`,
  )
}

/** At most once a minute for each listener and reason. */
function isNews(id: string, reason: string, now: number): boolean {
  const reasons = told.get(id) ?? new Map<string, number>()
  if (Math.abs(now - (reasons.get(reason) ?? -Infinity)) < PAUSE_MS) return false
  if (!told.has(id) && told.size >= MOST_IDS) told.delete(told.keys().next().value ?? '')
  told.set(id, reasons.set(reason, now))
  return true
}

/** Reported to `onError`, never thrown. */
export class ReportedError extends CodedError<'ERR_NO_ANSWER' | 'ERR_REDIRECTED' | 'ERR_TOO_MANY_BODIES'> {
  constructor(code: ReportedError['code'], message: string) {
    super('ReportedError', code, message)
  }
}
