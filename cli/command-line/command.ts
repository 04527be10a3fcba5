import { type ParseArgsConfig, parseArgs } from 'node:util'
import { textOf } from '../../src/lib/member-of.ts'
import { type ExitCode, UsageError } from './exit.ts'
import { type Documented, helpText } from './help.ts'
import { nearest } from './nearest.ts'

/** How an option is parsed, and what the help says about it. */
export interface OptionRow {
  /** The placeholder for the value in the help. A switch has none. */
  readonly value?: string
  readonly many?: true
  readonly says: string
}

/** One row per option: a single table for the parser, the help and the types. */
export type OptionRows = { readonly [option: string]: OptionRow }

/** The given values of a table's options. */
export type ValuesOf<Rows> = { readonly [Name in keyof Rows]?: Value<Rows[Name]> }

type Value<Row> = Row extends { readonly many: true }
  ? readonly string[]
  : Row extends { readonly value: string }
    ? string
    : boolean

interface CommandSpec<Rows> extends Documented {
  /** Without an operand: the options to suggest if an argument is given. */
  readonly meant?: string
  readonly commands?: { readonly [word: string]: Command }
  readonly options: Rows & OptionRows
  readonly common?: readonly (keyof NoInfer<Rows> & string)[]
  readonly run: (values: ValuesOf<Rows>, operand: string) => Promise<ExitCode>
}

export interface Command {
  readonly name: string
  readonly summary: string
  /** @param all Whether to show every option, and not only those that most people need. */
  help(all: boolean): string
  readonly options: OptionRows
  readonly commands?: { readonly [word: string]: Command } | undefined
  run(args: readonly string[]): Promise<ExitCode>
}

/** @throws UsageError from `run` if the table does not allow the command line. */
export function defineCommand<const Rows extends OptionRows>(spec: CommandSpec<Rows>): Command {
  const { name, summary, operand: argument, meant, options, commands, run } = spec
  return {
    name,
    summary,
    help: (all) => helpText(spec, all),
    options,
    commands,
    async run(args) {
      const { values, operands } = parseCommandLine(args, options)
      const [operand = ''] = operands
      if (operands.length > (argument ? 1 : 0)) {
        if (argument) throw new UsageError(`takes only one ${argument.name}`)
        if (commands) throw new UsageError(noSuchCommand(operand, name, Object.keys(commands)))
        throw new UsageError(`takes no arguments, only options${meant ? `: ${meant}` : ''}`)
      }
      if (operand === '' && argument?.required) throw new UsageError(`needs a ${argument.name}`)
      return run(values as ValuesOf<Rows>, operand) // the parser used this table
    },
  }
}

/** The innermost command that the arguments begin with, and its own arguments. */
export function innermost(command: Command, args: readonly string[]): readonly [Command, readonly string[]] {
  const [word = '', ...rest] = args
  const inner = Object.hasOwn(command.commands ?? {}, word) ? command.commands?.[word] : undefined
  return inner ? innermost(inner, rest) : [command, args]
}

function noSuchCommand(word: string, name: string, words: readonly string[]): string {
  const meant = nearest(word, words)
  if (meant === word) return `write ${word} first, and its options behind it: hookgate ${name} ${word} …`
  return `has no such command; ${meant ? `did you mean ${name} ${meant}?` : `it has ${words.join(', ')}`}`
}

/** @throws UsageError for an unknown option, or a value that is missing or unexpected. */
function parseCommandLine(args: readonly string[], table: OptionRows) {
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
  const message = textOf(error, 'message') ?? ''
  const [option = 'an option'] = /--?[\w-]+/.exec(message) ?? []
  if (message.startsWith('Unknown option')) {
    const similar = nearest(option.replace(/^-+/, ''), names)
    return `unknown option ${option}${similar === undefined ? '' : `; did you mean --${similar}?`}`
  }
  if (message.includes('does not take an argument')) return `${option} takes no value`
  return `${option} needs a value; write one that begins with a dash as ${option}=VALUE`
}
