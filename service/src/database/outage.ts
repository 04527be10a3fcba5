import type { Queryable } from './database.ts'
import { isUnreachable } from './unreachable.ts'

export interface OutageOptions {
  /** Prints a line, or a failure with its stack. */
  readonly log: (said: unknown) => void
  /** How often a database that is down is asked whether it is back, in milliseconds. Default 1,000. */
  readonly probeMs?: number | undefined
  /** Milliseconds that never go back. Default: `performance`. */
  readonly clock?: { now(): number } | undefined
}

/**
 * Makes a `report` that prints failures as they come, except those of a database that is down: these are one line at the
 * beginning and one at the end, however many there were. The outage is over when a probe gets through and nothing has
 * failed since the probe before.
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
