import type { Queryable } from './database.ts'
import { isUnreachable } from './unreachable.ts'

export interface OutageOptions {
  /** Prints a line, or an error with its stack. */
  readonly log: (said: unknown) => void
  /** How often to probe a database that is down, in milliseconds. Default 1,000. */
  readonly probeMs?: number | undefined
  /** A monotonic clock in milliseconds. Default: `performance`. */
  readonly clock?: { now(): number } | undefined
}

/**
 * Makes a `report` function that prints failures. A database outage gets one line at its start and one at its end. The
 * outage is over once a probe succeeds and nothing has failed since the previous probe.
 */
export function outageReporter(
  database: Queryable,
  { log, probeMs = 1_000, clock = performance }: OutageOptions,
): (error: unknown) => void {
  let since: number | undefined
  let failed = false

  const probeLater = () => setTimeout(probe, probeMs).unref()
  const probe = async () => {
    const answered = await database.query('SELECT').then(Boolean, () => false)
    if (answered && !failed) return end()
    failed = false
    probeLater()
  }
  const end = () => {
    log(`The database is back, after ${Math.round((clock.now() - (since ?? 0)) / 1_000)} s.`)
    since = undefined
  }
  return (error) => {
    if (!isUnreachable(error)) return log(error)
    failed = true
    if (since !== undefined) return
    since = clock.now()
    log(`The database is unavailable: ${messageOf(error)}. Until it is back, requests are answered 503.`)
    probeLater()
  }
}

function messageOf(error: unknown): string {
  const { message, code, cause } = Object(error)
  return isUnreachable(cause) ? messageOf(cause) : message || code
}
