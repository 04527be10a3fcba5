import { isForm as isFormKind } from '../schemes/kit/body.ts'
import type { Content } from '../schemes/kit/scheme.ts'
import type { ExpectedSender } from './expected-sender.ts'
import { jsonOf, type Text } from './guess.ts'

type Pair = readonly [name: string, value: string]
/** All orders of more fields are too many. */
const MOST_SHUFFLED = 5

/** The forms that may have been signed: fields in another order, other percent codes, or a form in place of JSON. */
export function formTexts(
  text: string,
  isForm: boolean,
  { scheme: { content = ['json'], jsonField }, facts }: ExpectedSender,
  again: string,
  exact: string,
): readonly Text[] {
  if (!content.some(isFormKind)) return []
  const fromJson = pairsOfJson(text)
  if (!isForm && fromJson === undefined) return []
  const pairs = fromJson ?? [...new URLSearchParams(text)]
  const other = `the form’s fields arrived in another order; ${exact}`
  const whole = fromJson === undefined ? [] : formsAround(text, content, jsonField).flatMap(writtenAs)
  return [
    ...[...whole, ...writtenAs(pairs)].map((each): Text => [again, each]),
    ...orders(pairs, facts.formOrder?.split(' ')).flatMap((order) =>
      [...(fromJson === undefined ? [shuffled(text, pairs, order)] : []), ...writtenAs(order)].map(
        (each): Text => [fromJson === undefined ? other : again, each],
      ),
    ),
  ]
}

/** The forms that bring this JSON in a field. */
function formsAround(
  text: string,
  content: readonly Content[],
  jsonField: string | undefined,
): readonly (readonly Pair[])[] {
  const inField: readonly (readonly Pair[])[] = jsonField === undefined ? [] : [[[jsonField, text]]]
  const written = content.flatMap((kind) =>
    typeof kind === 'object' && isFormKind(kind) ? [kind.write(new TextEncoder().encode(text))] : [],
  )
  return [...inField, ...written.map((form) => [...new URLSearchParams(new TextDecoder().decode(form))])]
}

/** The fields' own texts in another order, so that their percent codes stay. */
function shuffled(text: string, pairs: readonly Pair[], order: readonly Pair[]): string {
  const texts = text.split('&')
  return order.map((pair) => texts[pairs.indexOf(pair)] ?? '').join('&')
}

/** As `URLSearchParams` and as `encodeURIComponent` write a form. */
function writtenAs(pairs: readonly Pair[]): readonly string[] {
  const plus = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString()
  const percent = pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
  return [plus, percent, percent.replaceAll('%20', '+'), plus.replaceAll('+', '%20')]
}

/** The sender's own order, sorted, and, of a few fields, every order. */
function orders(pairs: readonly Pair[], known: readonly string[] = []): readonly (readonly Pair[])[] {
  const rank = ([name]: Pair) => (known.includes(name) ? known.indexOf(name) : known.length)
  const sorted = [...pairs].sort(([name], [other]) => (name < other ? -1 : 1))
  const own = [...pairs].sort((one, other) => rank(one) - rank(other))
  return [own, sorted, [...pairs].reverse(), ...(pairs.length <= MOST_SHUFFLED ? permutations(pairs) : [])]
}

function permutations<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length < 2) return [items]
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  )
}

/** The members of an object of texts, which a parser makes of a form. */
function pairsOfJson(text: string): readonly Pair[] | undefined {
  const value = jsonOf(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.entries(value).map(([name, member]) => [
    name,
    typeof member === 'string' ? member : JSON.stringify(member),
  ])
}
