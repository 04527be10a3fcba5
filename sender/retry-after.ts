const SHORTEST_MS = 1000
const LONGEST_MS = 86_400_000

/** IMF-fixdate and the two older forms of RFC 9110 5.6.7; the length is checked before Date parses it. */
const LONGEST_DATE = 40

/** Parses `Retry-After` (seconds or a date) into milliseconds from now, clamped to between 1 second and 24 hours. */
export function retryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined || value.length > LONGEST_DATE) return undefined
  const ms = /^[0-9]{1,15}$/.test(value) ? Number(value) * 1000 : dateOf(value) - nowMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS)
}

/** NaN unless the text starts with a day's name, as all three forms do. `Date` would parse "1.5" as a date. */
function dateOf(value: string): number {
  return /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value) ? Date.parse(value) : Number.NaN
}
