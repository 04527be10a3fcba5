const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/

/** A date, or a time with its zone. Undefined for anything else. */
export function timeFrom(text: string): Date | undefined {
  const time = new Date(text)
  return TIME.test(text) && !Number.isNaN(time.getTime()) && isOfMonth(text) ? time : undefined
}

/** The engine takes February 30 for a day in March. */
function isOfMonth(text: string): boolean {
  const day = text.slice(0, 10)
  return new Date(`${day}T00:00Z`).toISOString().startsWith(day)
}

const UNITS_MS: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of a duration, such as `30m`, `2h` or `3d`. Undefined for anything else. */
export function durationFrom(text: string): number | undefined {
  const [, digits, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits) * (UNITS_MS[unit] ?? 0)
}
