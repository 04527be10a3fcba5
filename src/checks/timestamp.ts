import { type Failure, fail } from '../reason.ts'
import type { Verification } from '../verification.ts'

/** The last time that a `Date` can hold, in seconds since 1970. */
const LAST_SECOND = 8_640_000_000_000

/**
 * Requires an attempt's time to be within the tolerance of now, in either direction, and an event's time to be no older than
 * the tolerance. Accepts an event whose time is missing, or too late for a `Date`: it then counts as sent when it arrived.
 */
export function checkTimestamp(
  verification: Verification,
): Failure<'timestamp_malformed' | 'timestamp_out_of_range'> | undefined {
  const { listener, now, protocol } = verification
  const { time } = protocol
  verification.sentAt = now
  if (time === undefined) return undefined
  const sentAt = protocol.timeOf(verification)
  const isAttempt = time.of === 'attempt'
  if (Number.isNaN(sentAt)) {
    return isAttempt ? fail('timestamp_malformed', `the time is not in ${time.unit}`) : undefined
  }
  const age = now - sentAt
  const oldest = listener.toleranceSeconds
  const newest = isAttempt ? Math.min(time.aheadSeconds ?? oldest, oldest) : Infinity
  // Phrased so that NaN from the clock fails closed.
  if (!(age <= oldest && -age <= newest)) {
    const off = `${Math.abs(age)} s ${age > 0 ? 'old' : 'ahead'}`
    return fail('timestamp_out_of_range', `the time is ${off}; allowed are ${age > 0 ? oldest : newest}`)
  }
  if (sentAt <= LAST_SECOND) verification.sentAt = sentAt
  else if (isAttempt) return fail('timestamp_malformed', 'no date is that late')
  return undefined
}
