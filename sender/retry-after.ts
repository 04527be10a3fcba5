const SHORTEST_MS = 1000
const LONGEST_MS = 86_400_000

/** IMF-fixdate and the two older forms of RFC 9110 5.6.7; the length is bounded before Date reads it. */
const LONGEST_DATE = 40

/** What `Retry-After` asks for, in milliseconds from now: seconds or a date, held between 1 second and 24 hours. */
export function retryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined || value.length > LONGEST_DATE) return undefined
  const ms = /^[0-9]{1,15}$/.test(value) ? Number(value) * 1000 : dateOf(value) - nowMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS)
}

/** NaN unless it begins with the name of a day, as all three forms do: Date would take "1.5" for a month. */
function dateOf(value: string): number {
  return /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value) ? Date.parse(value) : Number.NaN
}
