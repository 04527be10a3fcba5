import { ListenerConfigError } from '../errors.ts'
import { memberOf } from './member-of.ts'

/** Throws if an option's value is invalid. */
export type OptionCheck = (value: unknown, option: string) => void

/** One row per option. A new option without a row does not compile. */
export type OptionTable<Options> = { readonly [Name in keyof Options]-?: OptionCheck }

/** @throws ListenerConfigError for an unknown name too, because a misspelt option would silently disable a check. */
export function checkOptions(
  caller: string,
  options: object,
  table: { readonly [name: string]: OptionCheck },
): void {
  const names = Object.keys(table)
  if (!isRecord(options)) {
    throw new ListenerConfigError(
      caller,
      `takes an object of options: ${names.join(', ')}; got ${kindOf(options)}`,
    )
  }
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(table, name)) {
      // The option that begins like it, in any letter case: the longer, the better, and with three letters at least.
      let meant: string | undefined
      for (let length = 40; !meant && length > 2; length--)
        meant = names.find((each) => each.toLowerCase().startsWith(name.toLowerCase().slice(0, length)))
      const hint = meant ? `did you mean ${meant}?` : `it has ${names.join(', ')}`
      throw new ListenerConfigError(name, `${caller} has no such option; ${hint}`)
    }
  }
  for (const [name, check] of Object.entries(table)) check(Reflect.get(options, name), name)
}

/** The kind of a value, e.g. `undefined`, `String`, `Uint8Array` or `Promise`. `Object` if it cannot be asked. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return `${value}`
  try {
    return {}.toString.call(value).slice(8, -1)
  } catch {
    return 'Object' // e.g. a revoked proxy
  }
}

/** Whether a value may hold options: bytes, lists and promises hold none. */
function isRecord(value: unknown): value is object {
  return typeof value === 'object' && !/^null|Array|Promise/.test(kindOf(value))
}

/** Accepts undefined; any other value must pass `check`. */
/* @__NO_SIDE_EFFECTS__ */
export function optional(check: OptionCheck): OptionCheck {
  return (value, option) => {
    if (value !== undefined) check(value, option)
  }
}

/* @__NO_SIDE_EFFECTS__ */
function secondsUpTo(most: number): OptionCheck {
  return (value, option) => {
    if (typeof value === 'number' && value > 0 && value <= most) return
    throw new ListenerConfigError(option, `must be seconds, above 0 and at most ${most}, not ${shown(value)}`)
  }
}

/** A time span that may be 0. */
export const anySeconds: OptionCheck = (value, option) => {
  if (value !== 0) positiveSeconds(value, option)
}

/** Shows strings as `text`: '300' would look like a number. */
function shown(value: unknown): string {
  return typeof value === 'string' ? 'text' : String(value)
}

/** A time span of at most a century, so that it fits in milliseconds. */
export const positiveSeconds: OptionCheck = secondsUpTo(3_155_760_000)

/** A time span for a timer. Timers hold 31 bits of milliseconds; a longer one fires at once. */
export const timerSeconds: OptionCheck = secondsUpTo(2_147_483)

/** Whether a timer takes it, as milliseconds. */
export const isTimer = (value: unknown): boolean =>
  typeof value === 'number' && value >= 1 && value <= 2_147_483_647

/** The same in milliseconds. */
export const timerMilliseconds: OptionCheck = (value, option) => {
  if (isTimer(value)) return
  throw new ListenerConfigError(option, 'must be milliseconds, from 1 to 2,147,483,647')
}

export const positiveInteger: OptionCheck = (value, option) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return
  throw new ListenerConfigError(option, `must be a whole number above 0, not ${shown(value)}`)
}

export const aFunction: OptionCheck = (value, option) => {
  if (typeof value !== 'function') throw new ListenerConfigError(option, 'must be a function')
}

export const aBoolean: OptionCheck = (value, option) => {
  if (typeof value !== 'boolean') throw new ListenerConfigError(option, 'must be true or false')
}

export const wellFormedText: OptionCheck = (value, option) => {
  if (typeof value !== 'string' || value === '' || !value.isWellFormed()) {
    throw new ListenerConfigError(option, 'must be a non-empty, well-formed string')
  }
}

/** Text that is compared exactly, so that quotes or white space around it would refuse every delivery. */
export const exactText: OptionCheck = (value, option) => {
  wellFormedText(value, option)
  if (/^["'`\s]|["'`\s]$/.test(`${value}`)) {
    throw new ListenerConfigError(option, 'has quotes or white space around it; remove them')
  }
}

/* @__NO_SIDE_EFFECTS__ */
export function oneOfWords(...words: readonly string[]): OptionCheck {
  return (value, option) => {
    if (words.some((word) => word === value)) return
    throw new ListenerConfigError(option, `must be '${words.join("' or '")}'`)
  }
}

/** Any object or function with these methods; `Date` is a valid clock. `example` makes one. */
/* @__NO_SIDE_EFFECTS__ */
export function withMethods(methods: readonly string[], example = ''): OptionCheck {
  return (value, option) => {
    const missing = methods.find((method) => !hasMethod(value, method))
    if (!missing) return
    const mend = example && `: try ${example}`
    throw new ListenerConfigError(
      option,
      example && typeof value === 'function'
        ? `is a function; call it: ${example}`
        : `must have a method ${missing}()${value === undefined ? `; it is missing${mend}` : memberOf(value, 'then') ? '; await it' : mend}`,
    )
  }
}

/** For options that are validated where they are compiled. */
export const checkedElsewhere: OptionCheck = () => {}

/** Whether a value of unknown type has this method, its own or inherited. */
export function hasMethod(holder: unknown, method: string): boolean {
  return typeof memberOf(holder, method) === 'function'
}
