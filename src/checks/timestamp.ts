import { type Failure, fail } from '../reason.ts'
import type { Verification } from '../verification.ts'

const SECONDS = /^(?:0|[1-9][0-9]{0,11})$/

/**
 * Requires canonical Unix seconds within `toleranceSeconds` of now, in either direction. `Number` and `parseInt` also accept
 * `1e9`, ` 12` or `12abc`, so the text is matched first.
 */
export function checkTimestamp(
  verification: Verification,
): Failure<'timestamp_malformed' | 'timestamp_out_of_range'> | undefined {
  const { timestampText, listener, now } = verification
  if (timestampText.length > 12 || !SECONDS.test(timestampText)) {
    return fail('timestamp_malformed', 'Webhook-Timestamp is not in Unix seconds')
  }
  const sentAt = Number(timestampText)
  const offBy = Math.abs(now - sentAt)
  // Phrased so that NaN from the clock fails closed.
  if (!(offBy <= listener.toleranceSeconds)) {
    return fail(
      'timestamp_out_of_range',
      `Webhook-Timestamp is ${offBy} s ${sentAt < now ? 'old' : 'ahead'}; allowed are ${listener.toleranceSeconds}`,
    )
  }
  verification.sentAt = sentAt
  return undefined
}
