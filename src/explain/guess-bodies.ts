import { bytesOf, byteText, decodeUtf8, encodeUtf8 } from '../lib/bytes.ts'
import { isForm } from '../schemes/kit/body.ts'
import type { ExpectedSender } from './expected-sender.ts'
import { type Guess, guessesOf, jsonOf, type Text } from './guess.ts'
import {
  escapedTexts,
  layoutsOf,
  numberTexts,
  orderedTexts,
  serialisedAgain,
  treesOf,
  unsortedTexts,
} from './guess-rewritten.ts'
import { permutations } from './json-tree.ts'

const BOM = '\uFEFF'
const LAST_BREAKS = /(?<![\r\n])[\r\n]+$/
/** Of each tree: compact, spaced, and three indents. */
const MOST_LAYOUTS = 5
/** With more fields, there are too many orders to try. */
const MOST_SHUFFLED = 5

/** In characters, of all texts that are written anew for all keys: what a stranger's body may cost. */
const MOST_WRITTEN = 4_000_000

/** What may have been signed in place of a body. What is written anew is made one at a time, as it is tried. */
export interface BodyGuesses {
  /** Worth trying together with another mistake. */
  readonly common: readonly Guess[]
  readonly rare: Iterable<Guess>
  /** Many texts of one kind, which are tried last. */
  readonly many: Iterable<Guess>
}

/** What may have been signed in place of the body that arrived. `cameAsForm`: the delivery says so. */
export function bodyGuesses(body: Uint8Array, cameAsForm: boolean, expected: ExpectedSender): BodyGuesses {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  const { name, exactBytes: exact } = expected
  const breaks = `the line breaks were changed (CRLF or LF) after ${name} signed them; ${exact}`
  const lostBreak = `${name} signed a line break at the end that did not arrive; ${exact}`
  const bare = text.replace(/^\uFEFF/, '')
  const edges: readonly Text[] = [
    [`the body begins with a byte order mark that ${name} did not sign; ${exact}`, bare],
    [`the body ends with a line break that ${name} did not sign; ${exact}`, text.replace(LAST_BREAKS, '')],
    [lostBreak, `${text}\n`],
    [breaks, text.replaceAll('\r\n', '\n')],
    [breaks, text.replace(/(?<!\r)\n/g, '\r\n')],
    [lostBreak, `${text}\r\n`],
  ]
  const json = jsonOf(body)
  const trees = treesOf(bare, json)
  const layouts = layoutsOf(trees, json, text.length)
  const again = layouts.map((each): Text => [serialisedAgain(expected), each])
  const others: readonly Text[] = [
    [`${name} signed a byte order mark that did not arrive; ${exact}`, BOM + text],
    ['the body was left out of the signed text: sign it too', ''],
  ]
  const seen = new Set([text])
  const keep = (texts: Iterable<Text>) => guessesOf(texts, seen, (each) => ({ body: encodeUtf8(each) }))
  let left = MOST_WRITTEN / expected.keys.length
  function* written(...kinds: readonly Iterable<Text>[]): Iterable<Text> {
    for (const kind of kinds) {
      if (left < 0) return
      for (const each of kind) {
        left -= each[1].length
        if (left < 0) return
        yield each
      }
    }
  }
  return {
    common: [...keep([...edges, ...again.slice(0, MOST_LAYOUTS)])],
    rare: concat(
      charsets(body, `the body was read in the wrong character set; ${exact}`),
      keep([...again.slice(MOST_LAYOUTS), ...others]),
      keep(
        written(
          formTexts(text, json, cameAsForm, expected),
          escapedTexts(layouts, serialisedAgain(expected)),
          orderedTexts(trees, expected),
        ),
      ),
    ),
    many: keep(written(numberTexts(bare, layouts, expected), unsortedTexts(trees, expected))),
  }
}

function* concat<Each>(...lists: readonly Iterable<Each>[]): Iterable<Each> {
  for (const list of lists) yield* list
}

/** Read as Latin-1 and written as UTF-8, or the other way round. */
function charsets(body: Uint8Array, says: string): readonly Guess[] {
  const text = decodeUtf8(body)
  if (text === undefined) return [{ says: [says], body: encodeUtf8(byteText(body)) }]
  if (body.length === text.length || /[^\0-\xff]/.test(text)) return []
  return [{ says: [says], body: bytesOf(text, new Uint8Array(), '') }]
}

/** The order of the fields, by scheme, as in `facts.formOrder`. Kept here, so that bundles without `explain` lack it. */
const FORM_ORDERS: { readonly [scheme: string]: string } = {
  slack:
    'token team_id team_domain enterprise_id enterprise_name channel_id channel_name user_id user_name command text api_app_id is_enterprise_install response_url trigger_id',
}

type Field = [name: string, value: string]

/** The forms that may have been signed: fields in another order, other percent codes, or a form in place of JSON. */
function* formTexts(
  text: string,
  json: unknown,
  cameAsForm: boolean,
  expected: ExpectedSender,
): Iterable<Text> {
  const { name, scheme, facts, exactBytes } = expected
  if (!scheme.content?.some(isForm)) return
  const known = (facts.formOrder ?? FORM_ORDERS[scheme.name])?.split(' ') ?? []
  const again = (form: string): Text => [serialisedAgain(expected), form]
  const fromJson = fieldsOfJson(json)
  if (fromJson !== undefined) {
    const forms = [...formsAround(text, scheme), fromJson, ...orders(fromJson, known)]
    for (const form of forms) yield* writtenAs(form).map(again)
    return
  }
  if (!cameAsForm) return
  const other = `the form's fields arrived in another order than ${name} signed them; ${exactBytes}`
  const fields = [...new URLSearchParams(text)]
  const sent = text.split('&')
  yield* writtenAs(fields).map(again)
  for (const order of orders(fields, known)) {
    const asSent = order.map((field) => sent[fields.indexOf(field)] ?? '').join('&') // keeps the percent codes
    yield* [asSent, ...writtenAs(order)].map((form): Text => [other, form])
  }
}

/** The forms that bring this JSON in a field. */
function formsAround(
  text: string,
  { content = [], jsonField }: ExpectedSender['scheme'],
): readonly (readonly Field[])[] {
  const inField: readonly (readonly Field[])[] = jsonField === undefined ? [] : [[[jsonField, text]]]
  const written = content.flatMap((kind) =>
    typeof kind === 'object' && isForm(kind) ? [kind.write(encodeUtf8(text))] : [],
  )
  return [...inField, ...written.map((form) => [...new URLSearchParams(new TextDecoder().decode(form))])]
}

/** As `URLSearchParams` and as `encodeURIComponent` write a form. */
function writtenAs(fields: readonly Field[]): readonly string[] {
  const plus = `${new URLSearchParams([...fields])}`
  const percent = fields.map((field) => field.map(percentEncoded).join('=')).join('&')
  return [plus, percent, percent.replaceAll('%20', '+'), plus.replaceAll('+', '%20')]
}

/** `encodeURIComponent` throws for half of a surrogate pair, which JSON may hold. */
const percentEncoded = (text: string) => encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'))

/** The sender's own order, sorted, reversed, and, of a few fields, every order. */
function orders(fields: readonly Field[], known: readonly string[]): readonly (readonly Field[])[] {
  const rank = ([name]: Field) => (known.includes(name) ? known.indexOf(name) : known.length)
  return [
    fields.toSorted((one, other) => rank(one) - rank(other)),
    fields.toSorted(([name], [other]) => (name < other ? -1 : 1)),
    fields.toReversed(),
    ...(fields.length <= MOST_SHUFFLED ? permutations(fields) : []),
  ]
}

/** The members of an object of texts, which a parser makes of a form. */
function fieldsOfJson(value: unknown): readonly Field[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.entries(value).map(([name, member]) => [
    name,
    typeof member === 'string' ? member : JSON.stringify(member),
  ])
}
