import { readFile } from 'node:fs/promises'
import { type Command, defineCommand } from '../command-line/command.ts'
import { EXIT, RefusedError } from '../command-line/exit.ts'
import { columns } from '../command-line/help.ts'
import { nearest } from '../command-line/nearest.ts'
import { paint, print, printable, remark, toJsonLine } from '../command-line/output.ts'

/** A row of `hookgate/schemes.json`, as far as it describes. Its schema explains each member. */
interface Row {
  readonly name: string
  readonly sender: string
  readonly otherNames?: readonly string[]
  readonly secretName: string
  readonly covers: keyof typeof SIGNED
  readonly notCovered: string
  readonly dedupe: keyof typeof CLAIMED_BY
  readonly retries: { readonly says: string; readonly lastsSeconds?: number }
  readonly documentation: { readonly url: string; readonly read: string }
}

/** A sender that does not sign, or of which nobody could confirm how. */
interface WithoutScheme {
  readonly sender: string
  readonly otherNames?: readonly string[]
  readonly signs: keyof typeof SIGNS
  readonly says: string
  readonly documentation: Row['documentation']
}

const SIGNED = { body: 'body', values: 'some values', token: 'no, a token', nothing: 'no' } as const

const CLAIMED_BY = {
  id: 'ID',
  'signed-bytes': 'signed bytes',
  'signed-bytes-per-topic': 'signed bytes and topic',
  'signed-bytes-and-id': 'ID or signed bytes',
  off: 'nothing',
} as const

const SIGNS = {
  no: 'It does not sign',
  token: 'It sends a token and does not sign',
  otherwise: 'It signs in a way that hookgate has no scheme for',
  'not confirmed': 'How it signs is not confirmed',
} as const

/** More senders than these are listed in a line each. */
const MOST_DETAILED = 3

export const schemes: Command = defineCommand({
  name: 'schemes',
  summary: 'list the senders: what they sign, what identifies an event, how they retry',
  operand: { name: 'WORD', required: false },
  options: { json: { says: 'Print NDJSON: name, sender, covers, dedupe, retries, …, as in schemes.json' } },
  notes: ['WORD is a part of a name. Up to three senders are shown in full.'],
  examples: ['hookgate schemes', 'hookgate schemes stripe', 'hookgate schemes google --json'],
  async run({ json = false }, word) {
    const { rows, others } = await readSchemes()
    const found = rows.filter((row) => isCalled(word, row.name, row.sender, row.otherNames))
    const without = others.filter((each) => isCalled(word, each.sender, each.otherNames))
    if (found.length + without.length === 0) throw new RefusedError(noSuchSender(word, rows))
    if (json) for (const each of [...found, ...without]) print(toJsonLine(each))
    else show(found, without, word)
    return EXIT.done
  },
})

async function readSchemes() {
  const text = await readFile(new URL(import.meta.resolve('hookgate/schemes.json')), 'utf8')
  const file: unknown = JSON.parse(text)
  // Part of this package, and held to its schema by a test.
  const { schemes, withoutScheme } = file as {
    schemes: readonly Row[]
    withoutScheme: readonly WithoutScheme[]
  }
  return { rows: schemes, others: withoutScheme }
}

const isCalled = (word: string, ...names: readonly (string | readonly string[] | undefined)[]) =>
  names.flat().some((name) => name?.toLowerCase().includes(word.toLowerCase()))

function noSuchSender(word: string, rows: readonly Row[]): string {
  const similar = nearest(
    word,
    rows.map(({ name }) => name),
  )
  const advice = similar
    ? `did you mean ${similar}?`
    : 'hookgate schemes lists all; docs/own-scheme.md describes another'
  return `no sender is called ${printable(word)}; ${advice}`
}

function show(found: readonly Row[], without: readonly WithoutScheme[], word: string): void {
  if (found.length <= MOST_DETAILED) {
    for (const row of found) print(`${[paint('bold', row.name), ...detailsOf(row)].join('\n')}\n`)
  } else {
    for (const line of tableOf(found)) print(line)
  }
  if (word === '') remark(`${without.length} more senders have no scheme. To find one: hookgate schemes WORD`)
  else
    for (const { sender, signs, says, documentation } of without)
      print(
        [
          paint('bold', sender),
          ...columns([
            ['', `${SIGNS[signs]}. ${says}`],
            ['', documentation.url],
          ]),
        ].join('\n'),
      )
}

function detailsOf(row: Row): readonly string[] {
  const { sender, otherNames, secretName, covers, notCovered, dedupe, retries, documentation } = row
  const rows = [
    ['sender', [sender, ...(otherNames ?? [])].join(', ')],
    ['secret', secretName],
    ['signed', `${SIGNED[covers]}. ${notCovered}`],
    ['deduplicated by', CLAIMED_BY[dedupe]],
    ['retries', retries.says],
    ['documentation', `${documentation.url}, read ${documentation.read}`],
  ]
  return columns(rows).map((line) => `  ${line}`)
}

const HEAD = ['NAME', 'SIGNED', 'DEDUPLICATED BY', 'RETRIES FOR']

function tableOf(rows: readonly Row[]): readonly string[] {
  const cells = [
    HEAD,
    ...rows.map(({ name, covers, dedupe, retries }) => [
      name,
      SIGNED[covers],
      CLAIMED_BY[dedupe],
      lasting(retries.lastsSeconds),
    ]),
  ]
  const widths = HEAD.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  return cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** How long a sender retries, rounded down to its largest unit. */
function lasting(seconds: number | undefined): string {
  if (seconds === undefined) return '-'
  const [size, unit] = UNITS.find(([size]) => seconds >= size) ?? [1, 's']
  return seconds === 0 ? 'never' : `${Math.floor(seconds / size)} ${unit}`
}
