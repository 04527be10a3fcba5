import type { OptionRows } from './parse.ts'

/** What the help says about a command besides its options. */
export interface CommandDescription {
  readonly name: string
  readonly summary: string
  /** The one argument that is not an option, e.g. `URL`. */
  readonly operand?: { readonly name: string; readonly required: boolean }
  readonly notes?: readonly string[]
  readonly examples: readonly string[]
}

/** The text of `hookgate <command> --help`. */
export function helpText(
  { name, summary, operand, notes = [], examples }: CommandDescription,
  options: OptionRows,
): string {
  const argument = operand && ` ${operand.required ? operand.name : `[${operand.name}]`}`
  const rows = Object.entries(options).map(([option, { value, says }]) => [
    `--${option}${value === undefined ? '' : ` ${value}`}`,
    says,
  ])
  return [
    `hookgate ${name}: ${summary}`,
    '',
    `Usage: hookgate ${name}${argument ?? ''}${rows.length > 0 ? ' [options]' : ''}`,
    '',
    ...section('Options', columns([...rows, ['-h, --help', 'Show this.']])),
    ...section('Notes', notes),
    ...section('Examples', examples),
    'Exit codes: 0 done, 1 refused, 2 usage.',
  ].join('\n')
}

export function columns(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map(([first = '']) => first.length))
  return rows.map(([first = '', second = '']) => `${first.padEnd(width)}  ${second}`)
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`), '']
}
