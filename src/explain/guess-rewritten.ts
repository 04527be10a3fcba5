import type { ExpectedSender } from './expected-sender.ts'
import type { Text } from './guess.ts'
import {
  COMPACT,
  indentedBy,
  indentsOf,
  type Layout,
  numbersLast,
  numbersReversed,
  ordersOf,
  readTree,
  rearranged,
  SPACED,
  sorted,
  type Tree,
  writeTree,
} from './json-tree.ts'

/** Indentation may make a text this many times as long. */
const MOST_GROWTH = 4
/** In characters. Of a longer body, only its layout and its escapes are guessed. */
const LONGEST_READ = 65_536
/** Of one body. */
const MOST_ORDERS = 120
const MOST_FIELDS = 6
/** In characters. Longer ones stay as they are. */
const LONGEST_NUMBER = 40

/** The words for a body that was parsed and serialised again, and what that changed. */
export function serialisedAgain({ name, exactBytes }: ExpectedSender, change = ''): string {
  return `the body was parsed and serialised again after ${name} signed it${change}; ${exactBytes}`
}

/**
 * JSON as it arrived, and as `JSON.parse` understands it: numbers rewritten, the last of repeated members, sorted by number. None of a
 * long text, because reading one stops the process.
 */
export function treesOf(json: string, value: unknown): readonly Tree[] {
  if (value === undefined || json.length > LONGEST_READ) return []
  const [written, understood] = [readTree(json), JSON.stringify(value)]
  return writeTree(written, COMPACT) === understood ? [written] : [written, readTree(understood)]
}

const INDENTS = ['  ', '    ', '\t']

/** As JavaScript, Python, and printers write it. */
export function layoutsOf(trees: readonly Tree[], value: unknown, length: number): readonly string[] {
  const most = MOST_GROWTH * length + 1000
  if (trees.length === 0) return value === undefined ? [] : printed(value, most)
  return trees.flatMap((tree) => {
    const indents = indentsOf(tree)
    const fits = INDENTS.filter((indent) => indent.length * indents <= most)
    return [COMPACT, SPACED, ...fits.map(indentedBy)].map((layout) => writeTree(tree, layout))
  })
}

/** The same layouts, of what `JSON.parse` understands. */
function printed(value: unknown, most: number): readonly string[] {
  const compact = JSON.stringify(value)
  const indented = JSON.stringify(value, undefined, 1)
  const spaced = indented
    .replace(/\n *(?=[\]}])/g, '')
    .replace(/([[{])\n */g, '$1')
    .replace(/,\n */g, ', ')
  const fits = INDENTS.filter((indent) => indent.length * (indented.length - compact.length) <= most)
  return [compact, spaced, ...fits.map((indent) => JSON.stringify(value, undefined, indent))]
}

const codeOf = (letter: string) => letter.charCodeAt(0).toString(16).padStart(4, '0')
const lower = (letter: string) => `\\u${codeOf(letter)}`
const capital = (letter: string) => `\\u${codeOf(letter).toUpperCase()}`
const inCapitalHex = (found: string) => `\\u${found.slice(2).toUpperCase()}`
const asItIs = (json: string) => json
const letters = (json: string) => json.replace(/[\u007f-\uffff]/g, lower)
const slashes = (json: string) => json.replaceAll('/', '\\/')
const lettersAndSlashes = (json: string) => letters(slashes(json))

const asJackson = (json: string) =>
  json.replace(/\\u[0-9a-f]{4}|\\./g, (found) => (found.length === 6 ? inCapitalHex(found) : found))
/** With `ESCAPE_NON_ASCII`. */
const asJacksonInAscii = (json: string) => asJackson(json).replace(/[\u007f-\uffff]/g, capital)
const asGo = (json: string) => json.replace(/[<>&\u2028\u2029]/g, lower)
const asGson = (json: string) => json.replace(/[<>&='\u2028\u2029]/g, lower)
const asMeta = (json: string) => lettersAndSlashes(json).replace(/[<>&%@]/g, lower)
/** Keeps all escapes but that of the quote. */
const escaped = (found: string) =>
  found.startsWith('\\') && found !== '\\"' ? found : capital(found.slice(-1))
/** With `JSON_HEX_TAG`, `JSON_HEX_AMP`, `JSON_HEX_APOS` and `JSON_HEX_QUOT`. */
const asPhp = (json: string) => lettersAndSlashes(json).replace(/\\.|[<>&']/g, escaped)
/** Escapes a `+` too, unless it stands in a number. */
const DOT_NET =
  /\\u[0-9a-f]{4}|\\.|[<>&'`\u007f-\uffff]|(?<!(?:^|[:,[\s])-?[0-9.]{1,40}[Ee])\+|\+(?![0-9]+\s*(?:[,\]}]|$))/g
const asDotNet = (json: string) =>
  json.replace(DOT_NET, (found) => (found.length === 6 ? inCapitalHex(found) : escaped(found)))
const onWindows = (json: string) => json.replaceAll('\n', '\r\n')

/** How other languages write characters. The commonest come first. */
const STYLES: readonly ((json: string) => string)[] = [
  letters,
  slashes,
  lettersAndSlashes,
  asGo,
  asMeta,
  asJackson,
  asJacksonInAscii,
  asDotNet,
  asGson,
  asPhp,
]

/** An escape, or a character that a style may change. */
const SPECIAL = /\\u[0-9a-f]{4}|\\.|[^\w \n\r\t"{}[\],:.-]/g

/** The styles that make a difference to this text, and not the same one. */
function stylesFor(json: string): typeof STYLES {
  const sample = [...new Set(json.match(SPECIAL))].join('')
  const seen = new Set([sample])
  return STYLES.filter((style) => seen.size < seen.add(style(sample)).size)
}

/** The layouts as other languages write them, and with their line breaks. What writes to a file or a stream often ends with one. */
export function* escapedTexts(layouts: readonly string[], says: string): Iterable<Text> {
  const styles = stylesFor(layouts[0] ?? '')
  for (const layout of layouts) for (const style of styles) yield [says, style(layout)]
  for (const layout of layouts) {
    for (const style of [asItIs, ...styles]) yield [says, `${style(layout)}\n`]
    if (!layout.includes('\n')) continue
    yield [says, onWindows(layout)]
    yield [says, onWindows(asDotNet(layout))]
  }
}

/** The members in another order, and an array of events with a line for each. */
export function* orderedTexts(trees: readonly Tree[], expected: ExpectedSender): Iterable<Text> {
  const { name, exactBytes } = expected
  const lines = `${name} signed line breaks between the events, or at their end, that did not arrive; ${exactBytes}`
  const moved = serialisedAgain(expected, ', which moved its members')
  for (const tree of trees) {
    for (const each of linesOf(tree)) yield [lines, each]
    const asItCame = writeTree(tree, COMPACT)
    const hasNumbers = /"[0-9]+":/.test(asItCame)
    const changes = [
      ...(asItCame.includes('{') ? [sorted] : []),
      ...(hasNumbers ? [numbersLast, numbersReversed] : []),
    ]
    for (const change of changes) {
      const other = rearranged(tree, change)
      const compact = writeTree(other, COMPACT)
      if (compact === asItCame) continue
      const layouts = [compact, writeTree(other, SPACED), writeTree(other, indentedBy('  '))]
      for (const layout of layouts) yield [moved, layout]
      yield* escapedTexts(layouts, moved)
    }
  }
}

/** An array as SendGrid writes it. */
function* linesOf(tree: Tree): Iterable<string> {
  if (typeof tree === 'string' || tree.brackets !== '[]') return
  for (const layout of [COMPACT, SPACED]) {
    const events = tree.items.map(([, event]) => writeTree(event, layout))
    for (const divider of [',\r\n', ',\n', layout.comma])
      for (const end of ['\r\n', '', '\n']) yield `[${events.join(divider)}]${end}`
  }
}

/** The orders that were lost when something sorted the members. */
export function* unsortedTexts([tree]: readonly Tree[], expected: ExpectedSender): Iterable<Text> {
  if (tree === undefined) return
  const orders = ordersOf(tree, MOST_ORDERS)
  if (orders.length < 2) return
  const says = serialisedAgain(expected, ', which sorted its members')
  for (const layout of [COMPACT, SPACED] satisfies readonly Layout[])
    for (const order of orders) yield [says, writeTree(order, layout)]
}

/** One number in a text, and the name of the member that holds it. */
interface NumberAt {
  readonly start: number
  readonly raw: string
  readonly field: string
}

const NUMBERS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?[0-9][0-9.eE+-]*/g

/** The numbers of JSON that parses. */
function numbersIn(json: string): readonly NumberAt[] {
  const found: NumberAt[] = []
  let field = ''
  for (const { 0: text, 1: colon, index } of json.matchAll(NUMBERS)) {
    if (text.startsWith('"')) field = colon === undefined ? field : text
    else if (text.length <= LONGEST_NUMBER) found.push({ start: index, raw: text, field })
  }
  return found
}

/** How another language writes a number, or the same one. */
const SPELLINGS: readonly ((raw: string) => string)[] = [
  (raw) => raw.replace(/^(-?\d+\.\d)$/, '$10'), // 12.5 was 12.50
  (raw) => raw.replace(/^(-?\d+)$/, '$1.0'), // as Python and Ruby write a float
  (raw) => raw.replace(/^(-?\d+)$/, '$1.00').replace(/^(-?\d+\.\d)$/, '$10'), // a decimal of two places
  (raw) => scientific(raw, 'e'),
  (raw) => scientific(raw, 'E'),
  (raw) => scientific(raw, 'e+'),
  (raw) => scientific(raw, 'E').replace(/^(-?\d)E/, '$1.0E'), // as Java writes it
]

/** `1000` was `1e3`. */
function scientific(raw: string, exponent: string): string {
  const [, sign = '', digits = '', zeros = ''] = /^(-?)([1-9]\d*?)(0+)(?:\.0)?$/.exec(raw) ?? []
  if (digits === '') return raw
  const mantissa = digits.length === 1 ? digits : `${digits.slice(0, 1)}.${digits.slice(1)}`
  return `${sign}${mantissa}${exponent}${digits.length - 1 + zeros.length}`
}

/** The numbers as they may have been before a parser rewrote them. All fields first, then each, then several of them. */
export function* numberTexts(
  arrived: string,
  [compact = '', spaced = '', indented = '']: readonly string[],
  expected: ExpectedSender,
): Iterable<Text> {
  const says = serialisedAgain(expected, ', which rewrote its numbers')
  if (compact === '' || arrived.length > LONGEST_READ) return
  const written = [
    () => arrived,
    () => compact,
    () => spaced,
    () => letters(spaced),
    () => lettersAndSlashes(compact),
    () => indented,
  ]
  const texts = written.map((write) => {
    let made: { readonly json: string; readonly numbers: readonly NumberAt[] } | undefined
    return () => {
      const json = made?.json ?? write()
      made ??= { json, numbers: numbersIn(json) }
      return made
    }
  })
  const found = numbersIn(arrived)
  const fields = [...new Set(found.map(({ field }) => field))]
  for (const chosen of choicesOf(fields)) {
    const changed = SPELLINGS.filter((spell) =>
      found.some(({ raw, field }) => chosen.has(field) && spell(raw) !== raw),
    )
    for (const textOf of changed.length > 0 ? texts : []) {
      const { json, numbers } = textOf()
      for (const spell of changed)
        yield [says, respelled(json, numbers, ({ raw, field }) => (chosen.has(field) ? spell(raw) : raw))]
    }
  }
  for (const textOf of texts.slice(0, 2)) {
    const { json, numbers } = textOf()
    yield* roundedTexts(json, numbers, says)
  }
}

function respelled(json: string, numbers: readonly NumberAt[], spell: (number: NumberAt) => string): string {
  let [text, end] = ['', 0]
  for (const number of numbers) {
    text += json.slice(end, number.start) + spell(number)
    end = number.start + number.raw.length
  }
  return text + json.slice(end)
}

/** All fields; then each; then, of a few, every choice. */
function choicesOf(fields: readonly string[]): readonly ReadonlySet<string>[] {
  const some = fields.slice(0, MOST_FIELDS)
  const choices = Array.from({ length: 2 ** some.length - 1 }, (_, bits) =>
    some.filter((_field, index) => ((bits + 1) >> index) & 1),
  ).sort((one, other) => one.length - other.length)
  return [fields, ...choices].map((each) => new Set(each))
}

/** The integers beyond 2^53 that a parser may have rounded to the one in the text, if it has only one such number. */
function* roundedTexts(json: string, numbers: readonly NumberAt[], says: string): Iterable<Text> {
  const [rounded, another] = [...new Set(numbers.map(({ raw }) => raw))].filter(mayBeRounded)
  if (rounded === undefined || another !== undefined) return
  const value = Number(rounded)
  const exact = BigInt(value)
  for (let off = 0n; ; off += 1n) {
    const near = [exact + off, exact - off].filter((each) => Number(each) === value)
    if (near.length === 0) return
    for (const each of near)
      yield [says, respelled(json, numbers, ({ raw }) => (raw === rounded ? `${each}` : raw))]
  }
}

/** Beyond 2^53, and at most 2^64. */
const mayBeRounded = (raw: string) =>
  raw.length >= 16 &&
  Number.isInteger(Number(raw)) &&
  !Number.isSafeInteger(Number(raw)) &&
  Math.abs(Number(raw)) <= 2 ** 64
