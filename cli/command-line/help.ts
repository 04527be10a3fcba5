import { paint } from './output.ts'

/** The width of a terminal that nobody has widened, in characters. */
const WIDTH = 80
const INDENT = '  '

/** What the help of a command says. */
export interface Documented {
  readonly name: string
  readonly summary: string
  /** The argument that is not an option, e.g. `URL`. */
  readonly operand?: { readonly name: string; readonly required: boolean }
  /** Commands of its own, by their last word. */
  readonly commands?: { readonly [word: string]: Pick<Documented, 'name' | 'summary'> }
  readonly options: { readonly [option: string]: { readonly value?: string; readonly says: string } }
  /** The options that most people need, in this order. `--help --all` shows the others too. Default: all. */
  readonly common?: readonly string[]
  /** Options to show under a title of their own. */
  readonly groups?: { readonly [title: string]: readonly string[] }
  /** Each is one paragraph. */
  readonly notes?: readonly string[]
  /** Those that `--help --all` adds. */
  readonly moreNotes?: readonly string[]
  readonly examples: readonly string[]
}

/** The help of a command, in lines of at most 80 characters. */
export function helpText(spec: Documented, all: boolean): string {
  const {
    name,
    summary,
    operand,
    options,
    commands = {},
    groups = {},
    notes = [],
    moreNotes = [],
    examples,
  } = spec
  const argument = operand && ` ${operand.required ? operand.name : `[${operand.name}]`}`
  const names = Object.keys(options)
  const common = spec.common ?? names.filter((each) => !Object.values(groups).flat().includes(each))
  const showsAll = all || spec.common === undefined
  const titled = Object.entries({ ...groups, 'More options': names }).map(
    ([title, grouped], at, before) =>
      [
        title,
        grouped.filter(
          (each) => !common.includes(each) && !before.slice(0, at).some(([, those]) => those.includes(each)),
        ),
      ] as const,
  )
  const shown = showsAll ? [...common, ...titled.flatMap(([, grouped]) => grouped)] : common
  const rowOf = (option: string) => {
    const { value, says } = options[option] ?? { says: '' }
    return [`--${option}${value === undefined ? '' : ` ${value}`}`, says]
  }
  const helpRow = ['-h, --help', showsAll ? 'Show this' : 'Show this; --help --all shows every option']
  const widest = Math.max(...[...shown.map(rowOf), helpRow].map(([first = '']) => first.length))
  const table = (rows: readonly string[]) => columns(rows.map(rowOf), widest)
  return [
    ...paragraph(`hookgate ${name}: ${summary}`, WIDTH),
    '',
    `Usage: hookgate ${name}${argument ?? ''}${names.length > 0 ? ' [options]' : ''}`,
    '',
    ...section('Commands', columns(Object.values(commands).map((each) => [each.name, each.summary]))),
    ...section('Options', [...table(common), ...columns([helpRow], widest)]),
    ...(showsAll ? titled.flatMap(([title, grouped]) => section(title, table(grouped))) : []),
    ...section(
      'Notes',
      [...notes, ...(showsAll ? moreNotes : [])].flatMap((note) => paragraph(note, WIDTH - INDENT.length)),
    ),
    ...section('Examples', examples.flatMap(commandLines)),
    'Exit codes: 0 done, 1 refused, 2 usage.',
  ].join('\n')
}

/** A title, in bold on a terminal, and its lines, indented. Nothing if there are no lines. */
export function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0
    ? []
    : [paint('bold', `${title}:`), ...lines.map((line) => `${INDENT}${line}`.trimEnd()), '']
}

/** Two columns. The second one wraps. */
export function columns(
  rows: readonly (readonly string[])[],
  width = Math.max(0, ...rows.map(([first = '']) => first.length)),
): readonly string[] {
  const left = width + INDENT.length
  return rows.flatMap(([first = '', second = '']) =>
    paragraph(second, WIDTH - INDENT.length - left).map(
      (line, at) => `${(at === 0 ? first : '').padEnd(left)}${line}`,
    ),
  )
}

/** Breaks a text between words. A word that is longer than a line stays whole. */
function paragraph(text: string, width: number): readonly string[] {
  return linesOf(text.split(' '), width)
}

/** A command line as a shell takes it, broken before an option. */
function commandLines(command: string): readonly string[] {
  const lines = linesOf(command.split(/ (?=--)/), WIDTH - 2 * INDENT.length - CONTINUED.length)
  const last = lines.length - 1
  return lines.map((line, at) => `${at === 0 ? '' : INDENT}${line}${at < last ? CONTINUED : ''}`)
}

const CONTINUED = ' \\'

function linesOf([first = '', ...rest]: readonly string[], width: number): readonly string[] {
  const lines = [first]
  for (const part of rest) {
    const longer = `${lines.at(-1)} ${part}`
    if (longer.length > width) lines.push(part)
    else lines[lines.length - 1] = longer
  }
  return lines
}
