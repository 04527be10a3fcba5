import { memberOf } from '../member-of.ts'
import type { Queryable } from './database.ts'
import { isUnreachable } from './unreachable.ts'

export interface OutageOptions {
  /** Prints a line, or an error with its stack. */
  readonly log: (said: unknown) => void
  /** How often to probe the database, in milliseconds. Default 1,000. */
  readonly probeMs?: number | undefined
  /** A monotonic clock in milliseconds. Default: `performance`. */
  readonly clock?: { now(): number } | undefined
}

/**
 * Makes a `report` function that prints failures. A database outage gets one line at its start and one at its end. It
 * began with the first probe without an answer, long before a hanging statement fails. It is over once a probe succeeds
 * and nothing has failed since the previous probe.
 */
export function outageReporter(
  database: Queryable,
  { log, probeMs = 1_000, clock = performance }: OutageOptions,
): (error: unknown, requestId?: string) => void {
  let answeredAt = clock.now()
  let since: number | undefined
  let failed = false

  const probe = async () => {
    const asked = clock.now()
    const answered = await database.query('SELECT').then(Boolean, () => false)
    if (answered) {
      answeredAt = asked
      if (since !== undefined && !failed) end(since)
      failed = false
    }
    setTimeout(probe, probeMs).unref()
  }
  setTimeout(probe, probeMs).unref()

  const end = (began: number) => {
    log(`The database is back, after ${Math.round((clock.now() - began) / 1_000)} s.`)
    since = undefined
  }
  return (error, requestId) => {
    if (!isUnreachable(error)) {
      if (requestId !== undefined) log(`Request ${requestId} failed:`)
      hideRows(error)
      return log(error)
    }
    failed = true
    if (since !== undefined) return
    since = answeredAt
    log(`The database is unavailable: ${messageOf(error)}. Until it is back, requests are answered 503.`)
  }
}

/** Postgres's `detail` of an error shows the row, which is other people's data. */
function hideRows(error: unknown): void {
  for (let each = error; each instanceof Error; each = each.cause) Reflect.deleteProperty(each, 'detail')
}

function messageOf(error: unknown): string {
  const cause = memberOf(error, 'cause')
  if (isUnreachable(cause)) return messageOf(cause)
  return String(memberOf(error, 'message') || memberOf(error, 'code'))
}
