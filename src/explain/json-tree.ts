/**
 * A JSON value as it is written. Keeps what `JSON.parse` forgets: the digits of numbers, repeated members, and the order of those with
 * a number as their name. A text is a scalar.
 */
export type Tree = string | Container

/** An array, whose items have no names, or an object. Names are written with their quotes. */
interface Container {
  readonly brackets: '[]' | '{}'
  readonly items: readonly Item[]
}

type Item = readonly [name: string, value: Tree]

/** How the parts of a text are divided. */
export interface Layout {
  /** Repeated for each level, after a line break. Empty: all in one line. */
  readonly indent: string
  readonly comma: string
  readonly colon: string
}

export const COMPACT: Layout = { indent: '', comma: ',', colon: ':' }
/** As Python writes it. */
export const SPACED: Layout = { indent: '', comma: ', ', colon: ': ' }
export const indentedBy = (indent: string): Layout => ({ indent, comma: ',', colon: ': ' })

/** A string in JSON. Unambiguous, hence linear time. */
const STRING = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"'
const TOKEN = new RegExp(`${STRING}|[[\\]{},:]|[^\\s"[\\]{},:]+`, 'gs')

/** Reads JSON that parses, of at most 64 levels. Strings get the escapes of `JSON.stringify`. */
export function readTree(json: string): Tree {
  const tokens = json.match(TOKEN) ?? []
  let next = 0
  return readValue()

  function readValue(): Tree {
    const token = tokens[next] ?? ''
    next += 1
    if (token !== '[' && token !== '{') return plain(token)
    const items: Item[] = []
    const brackets = token === '[' ? '[]' : '{}'
    while (tokens[next] !== brackets[1] && next < tokens.length) {
      let name = ''
      if (token === '{') {
        name = plain(tokens[next] ?? '')
        next += 2 // the colon
      }
      items.push([name, readValue()])
      if (tokens[next] === ',') next += 1
    }
    next += 1
    return { brackets, items }
  }
}

const plain = (token: string) => (token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token)

/** Writes a value. */
export function writeTree(tree: Tree, layout: Layout, level = 0): string {
  if (typeof tree === 'string') return tree
  const { brackets, items } = tree
  const { indent, comma, colon } = layout
  if (items.length === 0) return brackets
  const lead = indent === '' ? '' : `\n${indent.repeat(level + 1)}`
  const end = indent === '' ? '' : `\n${indent.repeat(level)}`
  let text = ''
  for (const [name, value] of items) {
    if (text !== '') text += comma
    text += (name === '' ? lead : lead + name + colon) + writeTree(value, layout, level + 1)
  }
  return brackets.charAt(0) + text + end + brackets.charAt(1)
}

/** How many times an indented text has the indent. */
export function indentsOf(tree: Tree, level = 0): number {
  if (typeof tree === 'string' || tree.items.length === 0) return 0
  return tree.items.reduce((sum, [, value]) => sum + level + 1 + indentsOf(value, level + 1), level)
}

/** Applies a change to the members of each object. */
export function rearranged(tree: Tree, change: (members: readonly Item[]) => readonly Item[]): Tree {
  if (typeof tree === 'string') return tree
  const items = tree.items.map(([name, value]): Item => [name, rearranged(value, change)])
  return { ...tree, items: tree.brackets === '[]' ? items : change(items) }
}

/** By name, as most languages do. */
export const sorted = (members: readonly Item[]): readonly Item[] =>
  members.toSorted(([name], [other]) => (textOf(name) < textOf(other) ? -1 : 1))

const textOf = (name: string) => name.slice(1, -1)
const isNumber = ([name]: Item) => /^"(?:0|[1-9][0-9]{0,9})"$/.test(name)

/** JavaScript puts members with a number as their name first. Puts them last. */
export const numbersLast = (members: readonly Item[]): readonly Item[] => [
  ...members.filter((item) => !isNumber(item)),
  ...members.filter(isNumber),
]

/** The same, with the largest number first. */
export const numbersReversed = (members: readonly Item[]): readonly Item[] => [
  ...members.filter((item) => !isNumber(item)),
  ...members.filter(isNumber).toReversed(),
]

/** The orders that the members may have had before a serialiser sorted them: at most `most`, those of the outermost first. */
export function ordersOf(tree: Tree, most: number): readonly Tree[] {
  if (typeof tree === 'string' || most < 2) return [tree]
  const { items, brackets } = tree
  const isMoved = brackets === '{}' && mayBeSorted(items) && factorial(items.length) <= most
  const own = isMoved ? permutations([...items.keys()]) : undefined
  const inner = innerOrders(items, Math.floor(most / (own?.length ?? 1)))
  if (own === undefined) return inner.map((each) => ({ brackets, items: each }))
  return inner.flatMap((each) =>
    own.map((order) => ({ brackets, items: order.flatMap((index) => each.slice(index, index + 1)) })),
  )
}

/** Every combination of the orders in the items' values. What there are too many of stays as it is. */
function innerOrders(items: readonly Item[], most: number): readonly (readonly Item[])[] {
  let choices: Item[][] = [[]]
  for (const [name, value] of items) {
    const values = ordersOf(value, Math.floor(most / choices.length))
    const [only = value] = values
    if (values.length > 1)
      choices = choices.flatMap((before) => values.map((each): Item[] => [...before, [name, each]]))
    else for (const each of choices) each.push([name, only])
  }
  return choices
}

/** Whether the names are in order, or those first that are numbers, as JavaScript leaves them. */
function mayBeSorted(members: readonly Item[]): boolean {
  const numbers = members.findIndex((item) => !isNumber(item))
  return isInOrder(members) || numbers > 0
}

const isInOrder = (members: readonly Item[]) =>
  members.every(([name], index) => index === 0 || textOf(members[index - 1]?.[0] ?? '') <= textOf(name))

/** A large number of members has more orders than anybody tries. */
const factorial = (members: number): number =>
  members > 10 ? Infinity : members < 2 ? 1 : members * factorial(members - 1)

export function permutations<Each>(items: readonly Each[]): readonly (readonly Each[])[] {
  if (items.length < 2) return [items]
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  )
}
