import { ListenerConfigError } from '../errors.ts'

/** Complains about one option's value, or returns. */
export type OptionCheck = (value: unknown, option: string) => void

/** One row an option. A `Record` of the options' keys, so that a new option without a row does not compile. */
export type OptionTable<Options> = { readonly [Name in keyof Options]-?: OptionCheck }

/** @throws ListenerConfigError for an unknown name (a misspelt option would silently switch a check off). */
export function checkOptions(
  caller: string,
  options: object,
  table: { readonly [name: string]: OptionCheck },
): void {
  if (typeof options !== 'object' || options === null) {
    throw new ListenerConfigError(caller, 'takes an object of options')
  }
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(table, name)) {
      throw new ListenerConfigError(
        name,
        `${caller} has no such option; it has ${Object.keys(table).join(', ')}`,
      )
    }
  }
  for (const [name, check] of Object.entries(table)) check(Reflect.get(options, name), name)
}

/** The option may be left out; given, it has to pass `check`. */
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

/** A time span that may be none. */
export const anySeconds: OptionCheck = (value, option) => {
  if (value !== 0) positiveSeconds(value, option)
}

/** '300' would look like the number that it should be. */
function shown(value: unknown): string {
  return typeof value === 'string' ? 'text' : String(value)
}

/** A time span: at most a century, so that it can be counted in milliseconds. */
export const positiveSeconds: OptionCheck = secondsUpTo(3_155_760_000)

/** A time span for a timer: those count in 32 bits of milliseconds, and a longer one goes off at once. */
export const timerSeconds: OptionCheck = secondsUpTo(2_147_483)

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

/** One of these words, and nothing else. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOfWords(...words: readonly string[]): OptionCheck {
  return (value, option) => {
    if (words.some((word) => word === value)) return
    throw new ListenerConfigError(option, `must be '${words.join("' or '")}'`)
  }
}

/** Anything with these methods: a store, a clock, a key set. Functions count: `Date` is a clock. */
/* @__NO_SIDE_EFFECTS__ */
export function withMethods(...methods: readonly string[]): OptionCheck {
  return asFrom('', ...methods)
}

/** The same, with an example of where to get one. */
/* @__NO_SIDE_EFFECTS__ */
export function asFrom(example: string, ...methods: readonly string[]): OptionCheck {
  return (value, option) => {
    const holder = Object(value)
    const missing = methods.find((method) => typeof Reflect.get(holder, method) !== 'function')
    if (!missing) return
    const hint =
      value === undefined
        ? `; it is missing${example}`
        : typeof value === 'function'
          ? '; was it called?'
          : ''
    throw new ListenerConfigError(option, `must have a method ${missing}()${hint}`)
  }
}

/** For options that are checked where they are compiled. */
export const checkedElsewhere: OptionCheck = () => {}
