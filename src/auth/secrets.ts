import { ListenerConfigError } from '../errors.ts'
import { checkOptions, type OptionCheck, wellFormedText } from '../lib/options.ts'

/** A secret, or a public key, and its name, which `event.auth.secretId` says. The sender never sees the name. */
export interface NamedSecret {
  /** Any text. */
  readonly id: string
  /** The secret as the sender gave it out. */
  readonly secret: string
}

/** A text, a text with a name, or several of both: a delivery signed with any of them passes. */
export type Secrets = string | NamedSecret | readonly (string | NamedSecret)[]

/**
 * The secrets of an option, each with a name: those without one are called by their place, `secret-1`.
 *
 * @throws ListenerConfigError for none at all, for one that `check` refuses, and for repeated names or secrets.
 */
export function namedSecrets(
  given: Secrets | undefined,
  option: string,
  check: OptionCheck,
): readonly NamedSecret[] {
  const entries = [given].flat().map((entry, index) => readEntry(entry, `${option}[${index}]`, index, check))
  if (entries.length === 0) throw new ListenerConfigError(option, 'must have at least one { id, secret }')
  refuseTwins(entries, option)
  return entries
}

function readEntry(entry: unknown, option: string, index: number, check: OptionCheck): NamedSecret {
  if (typeof entry !== 'object' || entry === null) {
    check(entry, option)
    return { id: `secret-${index + 1}`, secret: entry as string } // or `check` had thrown
  }
  const { id, secret } = entry as NamedSecret // or this throws
  checkOptions(option, entry, {
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

/** Text with something to see in it, and no line break that a file left behind. @throws ListenerConfigError */
export const secretText: OptionCheck = (value, option) => {
  const refuse = (problem: string) => new ListenerConfigError(option, problem)
  if (typeof value !== 'string') throw refuse('must be a string; is the environment variable set?')
  if (value === '') throw refuse('is empty; is the environment variable set?')
  if (value.trim() === '') throw refuse('is blank; is the environment variable set?')
  if (!value.isWellFormed()) throw refuse('has a lone surrogate, which has no UTF-8 bytes')
  if (/^[\r\n]|[\r\n]$/.test(value))
    throw refuse('begins or ends with a line break; trim what you read from a file')
}
