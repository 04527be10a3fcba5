import { type Attempt, type Failure, fail } from './check.ts'

const SECONDS = /^(?:0|[1-9][0-9]{0,11})$/

/**
 * Unix seconds, written one way only, within `toleranceSeconds` of now on either side (specification 5.2).
 * `Number` and `parseInt` read `1e9`, ` 12` or `12abc` too, so the text is matched before it is converted.
 */
export function checkTimestamp(
  attempt: Attempt,
): Failure<'timestamp_malformed' | 'timestamp_out_of_range'> | undefined {
  const { timestampText, listener, now } = attempt
  if (timestampText.length > 12 || !SECONDS.test(timestampText)) {
    return fail('timestamp_malformed', 'Webhook-Timestamp is not a count of Unix seconds')
  }
  const sentAt = Number(timestampText)
  const offBy = Math.abs(now - sentAt)
  // Asked this way round, a clock that answers NaN lets nothing by.
  if (!(offBy <= listener.toleranceSeconds)) {
    return fail(
      'timestamp_out_of_range',
      `Webhook-Timestamp is ${offBy} s ${sentAt < now ? 'old' : 'ahead'}; allowed are ${listener.toleranceSeconds}`,
    )
  }
  attempt.sentAt = sentAt
  return undefined
}
