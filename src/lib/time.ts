/**
 * How a time is written. `utc` is RFC 3339, but a time without a zone is in UTC. `http-date` is a date as in HTTP headers (RFC 9110,
 * 5.6.7), e.g. `Thu, 20 Nov 2025 12:00:00 GMT`.
 */
export type TimeUnit = 'seconds' | 'milliseconds' | 'rfc3339' | 'utc' | 'http-date'

const SECONDS = /^(?:0|[1-9][0-9]{0,11})$/
const MILLISECONDS = /^(?:0|[1-9][0-9]{0,14})$/
const RFC3339 =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]{1,9})?(?:Z|([+-])([0-9]{2}):([0-9]{2}))$/
const WITHOUT_ZONE = /T[0-9:.]+$/
const LONGEST_TIME = 40

/** Parses a time into seconds since 1970, with a fraction if the unit has one. NaN if malformed. */
export function parseTime(unit: TimeUnit, text: string): number {
  if (text.length > LONGEST_TIME) return Number.NaN
  if (unit === 'rfc3339') return parseRfc3339(text)
  if (unit === 'utc') return parseRfc3339(WITHOUT_ZONE.test(text) ? `${text}Z` : text)
  return unit === 'http-date' ? parseHttpDate(text) : parseCount(unit, text)
}

/** The same for a number. NaN for a date. */
export function parseCount(unit: TimeUnit, text: string): number {
  if (unit === 'seconds') return parseSeconds(text)
  return unit === 'milliseconds' && MILLISECONDS.test(text) ? Number(text) / 1000 : Number.NaN
}

/** `Number` and `parseInt` also accept `1e9`, ` 12` or `12abc`, so the text is matched first. */
export function parseSeconds(text: string): number {
  return SECONDS.test(text) ? Number(text) : Number.NaN
}

/** Parses a member of the body: a number, or a string for a date, which `parse` parses. */
export function timeOfMember(unit: TimeUnit, member: unknown, parse: typeof parseTime): number {
  if (!isCount(unit)) return typeof member === 'string' ? parse(unit, member) : Number.NaN
  if (typeof member !== 'number' || !(member >= 0 && Number.isFinite(member))) return Number.NaN
  return unit === 'seconds' ? member : member / 1000
}

/** Whether a time of this unit is a number. */
export const isCount = (unit: TimeUnit): boolean => unit === 'seconds' || unit === 'milliseconds'

/** Writes a time as a text of `unit`. */
export function writeTime(unit: TimeUnit, seconds: number): string {
  if (unit === 'seconds') return `${seconds}`
  if (unit === 'milliseconds') return `${Math.round(seconds * 1000)}`
  const date = new Date(seconds * 1000)
  if (unit === 'http-date') return date.toUTCString()
  return unit === 'rfc3339' ? date.toISOString() : date.toISOString().slice(0, -1)
}

/** `Date.parse` accepts more than one format, but `toUTCString` writes only this one. */
function parseHttpDate(text: string): number {
  const date = new Date(text)
  return date.toUTCString() === text ? date.getTime() / 1000 : Number.NaN
}

/** Parses RFC 3339 5.6 without leap seconds. Not `Date.parse`, which accepts other formats, depending on the engine. */
function parseRfc3339(text: string): number {
  const match = RFC3339.exec(text)
  if (!match) return Number.NaN
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const [fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match.slice(7)
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  date.setUTCFullYear(year, month - 1, day) // Date.UTC maps 0 to 99 to 1900 to 1999
  const isReal =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  if (!isReal || Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return Number.NaN
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60
  return date.getTime() / 1000 + Number(`0${fraction}`) - (sign === '-' ? -offset : offset)
}
