import { type ParseArgsConfig, parseArgs } from 'node:util'
import { textOf } from '../../src/lib/member-of.ts'
import { type ExitCode, UsageError } from './exit.ts'
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

interface CommandSpec<Rows> {
  readonly name: string
  readonly summary: string
  /** The argument that is not an option, e.g. `URL`. */
  readonly operand?: { readonly name: string; readonly required: boolean }
  /** Without an operand: the options to suggest if an argument is given. */
  readonly meant?: string
  /** Commands of its own, by their last word. */
  readonly commands?: { readonly [word: string]: Command }
  readonly options: Rows
  /** Options to show under a title of their own. */
  readonly groups?: { readonly [title: string]: readonly string[] }
  readonly notes?: readonly string[]
  readonly examples: readonly string[]
  readonly run: (values: ValuesOf<Rows>, operand: string) => Promise<ExitCode>
}

export interface Command {
  readonly name: string
  readonly summary: string
  readonly help: string
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
    help: helpText(spec),
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

function helpText(spec: Omit<CommandSpec<OptionRows>, 'run'>): string {
  const { name, summary, operand, options, commands = {}, groups = {}, notes = [], examples } = spec
  const argument = operand && ` ${operand.required ? operand.name : `[${operand.name}]`}`
  const rows = Object.entries<OptionRow>({ ...options, help: { says: 'Show this.' } }).map(
    ([option, { value, says }]) => [
      `${option === 'help' ? '-h, ' : ''}--${option}${value === undefined ? '' : ` ${value}`}`,
      says,
    ],
  )
  const lines = columns(rows)
  const names = [...Object.keys(options), 'help']
  const grouped = Object.values(groups).flat()
  const linesOf = (isShown: (option: string) => boolean) =>
    lines.filter((_, index) => isShown(names[index] ?? ''))
  return [
    `hookgate ${name}: ${summary}`,
    '',
    `Usage: hookgate ${name}${argument ?? ''}${names.length > 1 ? ' [options]' : ''}`,
    '',
    ...section('Commands', columns(Object.values(commands).map((each) => [each.name, each.summary]))),
    ...section(
      'Options',
      linesOf((option) => !grouped.includes(option)),
    ),
    ...Object.entries(groups).flatMap(([title, shown]) =>
      section(
        title,
        linesOf((option) => shown.includes(option)),
      ),
    ),
    ...section('Notes', notes),
    ...section('Examples', examples),
    'Exit codes: 0 done, 1 refused, 2 usage.',
  ].join('\n')
}

export function columns(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(0, ...rows.map(([first = '']) => first.length))
  return rows.map(([first = '', second = '']) => `${first.padEnd(width)}  ${second}`)
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`), '']
}
