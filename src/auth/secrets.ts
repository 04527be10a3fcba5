import { ListenerConfigError } from '../errors.ts'
import { checkOptions, kindOf, type OptionCheck, wellFormedText } from '../lib/options.ts'

/**
 * A secret or public key and its name, which is reported as `event.auth.secretId`. The sender never sees the name.
 * Only `rfc9421` compares it: with the signature's `keyid`.
 */
export interface NamedSecret {
  /** Any non-empty text. */
  readonly id: string
  /** The secret, exactly as the sender issued it. */
  readonly secret: string
}

/**
 * One secret, named or not, or several of them. A delivery signed with any of them passes. Undefined, such as an environment
 * variable that is not set, throws at the start.
 */
export type Secrets = Secret | readonly Secret[]

type Secret = string | NamedSecret | undefined

/**
 * Normalizes an option's secrets. Unnamed secrets are named by position: `secret-1`.
 *
 * @throws ListenerConfigError for an empty list, for a secret that `check` refuses, and for repeated names or secrets.
 */
export function namedSecrets(given: Secrets, option: string, check: OptionCheck): readonly NamedSecret[] {
  const entries = [given].flat().map((entry, index) => readEntry(entry, `${option}[${index}]`, index, check))
  if (entries.length === 0) throw new ListenerConfigError(option, 'must have at least one { id, secret }')
  refuseTwins(entries, option)
  return entries
}

function readEntry(entry: unknown, option: string, index: number, check: OptionCheck): NamedSecret {
  if (kindOf(entry) !== 'Object') {
    check(entry, option)
    return { id: `secret-${index + 1}`, secret: entry as string } // otherwise `check` has thrown
  }
  const { id, secret } = entry as NamedSecret // checked below
  checkOptions(option, entry as object, {
    id: (value) => wellFormedText(value, `${option}.id`),
    secret: (value) => check(value, `${option}.secret`),
  })
  return { id, secret }
}

function refuseTwins(entries: readonly NamedSecret[], option: string): void {
  for (const member of ['id', 'secret'] as const) {
    const twin = entries.findIndex((entry, index) =>
      entries.slice(0, index).some((earlier) => earlier[member] === entry[member]),
    )
    if (twin >= 0) throw new ListenerConfigError(`${option}[${twin}].${member}`, 'is used twice')
  }
}

/**
 * How a text ends that a template or a join makes of a variable that is not set: everybody knows it. Your own `my_null` is refused too,
 * which you notice at once, whereas anyone could forge for `whsec_null`.
 */
const UNSET = /(^(Bearer|Basic)?|(^|[\s:&"'_=])(undefined|null|None))["'\s]*$/

/** Requires visible text without a leading or trailing line break, e.g. from a file. @throws ListenerConfigError */
export const secretText: OptionCheck = (value, option) => {
  const problem = problemOf(value)
  if (problem) throw new ListenerConfigError(option, problem)
}

function problemOf(value: unknown): string | false {
  const setIt = '; set the environment variable, e.g. by node --env-file=.env'
  if (typeof value !== 'string') return `is ${kindOf(value)}, not text${value ? '' : setIt}`
  if (/\[object \w+]["'\s]*$/.test(value)) return 'is an object; await it and pass its text'
  if (UNSET.test(value)) return `looks empty or unset${setIt}`
  if (!value.isWellFormed()) return 'has a lone surrogate'
  return /^[\r\n]|[\r\n]$/.test(value) && 'begins or ends with a line break; trim it'
}

/** The same for a public key, whose PEM ends with a line break. @throws ListenerConfigError */
export const publicKeyText: OptionCheck = (value, option) =>
  secretText(typeof value === 'string' ? value.trimEnd() : value, option)
