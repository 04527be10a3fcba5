import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UsageError } from './exit.ts'
import { nearest } from './nearest.ts'

/** How an option is parsed, and what the help says of it. */
export interface OptionRow {
  /** The word that stands for the value in the help. A switch has none. */
  readonly value?: string
  /** May be given several times. */
  readonly many?: true
  readonly says: string
}

export type OptionRows = { readonly [option: string]: OptionRow }

export interface CommandLine {
  readonly values: { readonly [option: string]: unknown }
  readonly operands: readonly string[]
}

/** @throws UsageError for an option that does not exist, or a value that is missing or too much. */
export function parseCommandLine(args: readonly string[], table: OptionRows): CommandLine {
  const options: NonNullable<ParseArgsConfig['options']> = {}
  for (const [name, { value, many }] of Object.entries(table)) {
    options[name] = { type: value === undefined ? 'boolean' : 'string', multiple: many ?? false }
  }
  try {
    const parsed = parseArgs({ args: joinNegative(args, table), options, allowPositionals: true })
    return { values: parsed.values, operands: parsed.positionals }
  } catch (error) {
    throw new UsageError(reword(error, Object.keys(table)))
  }
}

/** `--skew -600` as `--skew=-600`: parseArgs would take the number for an option. */
function joinNegative(args: readonly string[], table: OptionRows): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const previous = joined.at(-1) ?? ''
    const takesValue = previous.startsWith('--') && table[previous.slice(2)]?.value !== undefined
    if (takesValue && /^-[0-9]/.test(arg)) joined[joined.length - 1] = `${previous}=${arg}`
    else joined.push(arg)
  }
  return joined
}

/** parseArgs explains in several sentences; one line has to do. Values are not repeated: one may be a secret. */
function reword(error: unknown, names: readonly string[]): string {
  const message = error instanceof Error ? error.message : ''
  const [option = 'an option'] = /--?[\w-]+/.exec(message) ?? []
  if (message.startsWith('Unknown option')) {
    const similar = nearest(option.replace(/^-+/, ''), names)
    return `has no option ${option}${similar === undefined ? '' : `; did you mean --${similar}?`}`
  }
  if (message.includes('does not take an argument')) return `${option} takes no value`
  return `${option} needs a value; one that begins with a dash is written ${option}=VALUE`
}
