import { bytesOf, byteText, decodeUtf8 } from '../lib/bytes.ts'
import type { ExpectedSender } from './expected-sender.ts'
import { type Guess, guessesOf, jsonOf, type Text } from './guess.ts'
import { formTexts } from './guess-forms.ts'

const encoder = new TextEncoder()
const BOM = '\uFEFF'
const LAST_BREAKS = /(?<![\r\n])[\r\n]+$/

/**
 * What may have been signed in place of the body that arrived. `common` are worth trying together with another mistake.
 * `isForm`: the delivery says so.
 */
export function bodyGuesses(
  body: Uint8Array,
  isForm: boolean,
  expected: ExpectedSender,
): { readonly common: readonly Guess[]; readonly rare: readonly Guess[] } {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  const { name, isOwn } = expected
  const exact = isOwn
    ? 'sign exactly the bytes that are sent'
    : 'verify the exact bytes that arrived, before any parser, middleware or proxy changes them'
  const again = isOwn
    ? `the JSON was parsed and serialised again; ${exact}`
    : `the body was parsed and serialised again, and ${name} signed it as it was; ${exact}`
  const edges: readonly Text[] = [
    [
      `the body begins with a byte order mark that ${name} did not sign; ${exact}`,
      text.replace(/^\uFEFF/, ''),
    ],
    [`the body ends with a line break that ${name} did not sign; ${exact}`, text.replace(LAST_BREAKS, '')],
    [`${name} signed a line break at the end that did not arrive; ${exact}`, `${text}\n`],
    [`${name} signed other line breaks (CRLF or LF); ${exact}`, text.replaceAll('\r\n', '\n')],
    [`${name} signed other line breaks (CRLF or LF); ${exact}`, text.replace(/(?<!\r)\n/g, '\r\n')],
    [`${name} signed a line break at the end that did not arrive; ${exact}`, `${text}\r\n`],
  ]
  const printed = printedAnew(text).map((each): Text => [again, each])
  const rare: readonly Text[] = [
    [`${name} signed a byte order mark that did not arrive; ${exact}`, BOM + text],
    ...formTexts(text, isForm, expected, again, exact),
    ...(isOwn ? [['the body was left out', ''] as const] : []),
  ]
  const keep = (texts: readonly Text[]) =>
    guessesOf(texts, [text], (each) => ({ body: encoder.encode(each) }))
  const common = keep([...edges, ...printed.slice(0, 5)])
  return {
    common,
    rare: [
      ...charsets(body, `the body was read in another character set; ${exact}`),
      ...keep([...printed.slice(5), ...rare]),
    ],
  }
}

/** Read as Latin-1 and written as UTF-8, or the other way round. */
function charsets(body: Uint8Array, says: string): readonly Guess[] {
  const text = decodeUtf8(body)
  if (text === undefined) return [{ says: [says], body: encoder.encode(byteText(body)) }]
  if (body.length === text.length || /[^\0-\xff]/.test(text)) return []
  return [{ says: [says], body: bytesOf(text, new Uint8Array(), '') }]
}

/** As JavaScript, Python, and printers write it; then with the characters escaped as PHP, Python, Rails and Meta do. */
function printedAnew(text: string): readonly string[] {
  const value = jsonOf(text.replace(/^\uFEFF/, ''))
  if (value === undefined) return []
  const compact = JSON.stringify(value)
  const spaced = JSON.stringify(value, undefined, 1)
    .replace(/\n *(?=[\]}])/g, '')
    .replace(/([[{])\n */g, '$1')
    .replace(/,\n */g, ', ')
  const plain = [compact, spaced, JSON.stringify(value, undefined, 2), JSON.stringify(value, undefined, 4)]
  const slashes = (each: string) => each.replaceAll('/', '\\/')
  const letters = (each: string) => each.replace(/[\u007f-\uffff]/g, escapeOf)
  const markup = (each: string) => each.replace(/[<>&\u2028\u2029]/g, escapeOf)
  const styles = [letters, slashes, (each: string) => letters(slashes(each)), markup]
  return [
    ...plain,
    JSON.stringify(value, undefined, '\t'),
    ...styles.map((style) => style(compact)),
    letters(slashes(compact)).replace(/[<>&%@]/g, escapeOf),
    ...plain.slice(1).flatMap((each) => styles.map((style) => style(each))),
  ]
}

const escapeOf = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
