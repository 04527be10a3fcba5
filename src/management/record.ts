import { decodeUtf8, encodeUtf8 } from '../lib/bytes.ts'
import type { Missed } from './api.ts'
import type { Recorded } from './fetched.ts'
import { partAt, partsOf, respelt, textAt } from './json-parts.ts'

/** What an API recorded of an attempt to deliver. */
export interface Record {
  readonly headers: Recorded['headers']
  /** How the body may have been spelt, the likeliest first: the API writes it as JSON again, and a signature is of its bytes. */
  readonly spellings: Iterable<Uint8Array>
}

/** What an API has kept of an event, as the delivery that it would have been. Undefined if it has no body, which then is asked for. */
export function fetchedOf(
  answer: Uint8Array,
  { body: place = '', headers = {}, lost }: Extract<Missed['record'], { trust: 'fetched' }>,
): Recorded | 'lost' | undefined {
  const body = partAt(answer, place)
  if (body?.[0] !== OBJECT) return undefined
  if (lost !== undefined && respelt(body, (literal) => literal) === lost) return 'lost'
  const texts = Object.entries(headers).map(([name, at]) => [name, textAt(answer, at)] as const)
  if (texts.some(([, text]) => text === '')) return undefined // or it would be claimed by its bytes, and run twice
  return { headers: new Map([...texts, ['content-type', 'application/json']]), body }
}

/** Undefined if the API has not kept the headers, or the body. */
export function recordOf(
  answer: Uint8Array,
  places: { readonly headers: string; readonly body: string },
): Record | undefined {
  const headers = partAt(answer, places.headers)
  const body = partAt(answer, places.body)
  if (headers?.[0] !== OBJECT || body?.[0] !== OBJECT) return undefined
  const known = new Map<string, string>()
  for (const [name, part] of partsOf(headers)) {
    const text = textAt(part, '')
    if (text !== '') known.set(name.toLowerCase(), text)
    if (known.size === MOST_HEADERS) return undefined
  }
  return { headers: known, spellings: spellingsOf(body, known.get('content-type') ?? '') }
}

const OBJECT = 0x7b
/** No delivery has so many. */
const MOST_HEADERS = 1000

/** As it is, without white space, with the shortest escapes, and with those in capitals. A form has it in one field. */
function* spellingsOf(body: Uint8Array, contentType: string): Generator<Uint8Array> {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType)
  const spelt = new Set<string>()
  for (const spell of SPELLINGS) {
    const text = spell(body)
    if (spelt.has(text)) continue
    spelt.add(text)
    yield encodeUtf8(isForm ? `${new URLSearchParams({ payload: text })}` : text)
  }
}

const shortest = (literal: string) => JSON.stringify(JSON.parse(literal))
const inCapitals = (literal: string) =>
  shortest(literal).replace(/\\(?:u([0-9a-f]{4})|.)/g, (written, digits?: string) =>
    digits === undefined ? written : `\\u${digits.toUpperCase()}`,
  )

const SPELLINGS: readonly ((body: Uint8Array) => string)[] = [
  (body) => decodeUtf8(body) ?? '',
  (body) => respelt(body, (literal) => literal),
  (body) => respelt(body, shortest),
  (body) => respelt(body, inCapitals),
]
