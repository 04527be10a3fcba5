import type { Clock } from '../../src/listener-options.ts'

/** What the SDK measures is late by a response and up to a second coarse: less than this says nothing. */
const NOTEWORTHY_MS = 10_000

/**
 * How much AWS's clock is ahead of this machine's, in milliseconds, by the date of its last answer; 0 when they agree
 * within 10 s, and where the SDK does not tell.
 */
export function clockOffset(client: { readonly config?: object }): number {
  const offset: unknown = Reflect.get(Object(client.config), 'systemClockOffset')
  return typeof offset === 'number' && Math.abs(offset) >= NOTEWORTHY_MS ? offset : 0
}

/** Now, in Unix milliseconds. DynamoDB's conditions know no time, so each process brings its own. */
export function timeOf(client: { readonly config?: object }, clock: Clock): number {
  return clock.now() + clockOffset(client)
}
