import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UsageError } from './exit.ts'
import { nearest } from './nearest.ts'

/** How an option is parsed, and what the help says about it. */
export interface OptionRow {
  /** The placeholder for the value in the help. A switch has none. */
  readonly value?: string
  /** The option may be repeated. */
  readonly many?: true
  readonly says: string
}

export type OptionRows = { readonly [option: string]: OptionRow }

export interface CommandLine {
  readonly values: { readonly [option: string]: unknown }
  readonly operands: readonly string[]
}

/** @throws UsageError for an unknown option, or a value that is missing or unexpected. */
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

/** Turns `--skew -600` into `--skew=-600`: parseArgs would take the number for an option. */
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

/** Shortens the messages of parseArgs to one line. Repeats no value, since it may be a secret. */
function reword(error: unknown, names: readonly string[]): string {
  const message = error instanceof Error ? error.message : ''
  const [option = 'an option'] = /--?[\w-]+/.exec(message) ?? []
  if (message.startsWith('Unknown option')) {
    const similar = nearest(option.replace(/^-+/, ''), names)
    return `unknown option ${option}${similar === undefined ? '' : `; did you mean --${similar}?`}`
  }
  if (message.includes('does not take an argument')) return `${option} takes no value`
  return `${option} needs a value; write one that begins with a dash as ${option}=VALUE`
}
