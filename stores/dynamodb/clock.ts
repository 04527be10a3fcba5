import type { Clock } from '../../src/lib/clock.ts'

/** Smaller offsets are noise: the SDK's measurement includes the response time and has a resolution of one second. */
const NOTEWORTHY_MS = 10_000

/**
 * How far AWS's clock is ahead of this machine's, in milliseconds, by the date of its last response. 0 if they agree within
 * 10 s, or if the SDK does not report it.
 */
export function clockOffset(client: { readonly config?: object }): number {
  const offset: unknown = Reflect.get(Object(client.config), 'systemClockOffset')
  return typeof offset === 'number' && Math.abs(offset) >= NOTEWORTHY_MS ? offset : 0
}

/** The current Unix time in milliseconds. DynamoDB conditions have no clock, so each process sends its own. */
export function timeOf(client: { readonly config?: object }, clock: Clock): number {
  return clock.now() + clockOffset(client)
}
