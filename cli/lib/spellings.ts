/** In characters. A shorter text in base64 or hex could be any other. */
const SHORTEST_ENCODED = 8

/**
 * How a secret may be written in a text that others made: as it is, escaped as JSON, once and twice, as HTML or percent-encoded,
 * each as the common libraries do it, and in base64 and hex. The longest come first, since one may contain another.
 */
export function spellingsOf(secret: string): readonly string[] {
  const once = [secret, ...JSON_ESCAPES.map((escaped) => escaped(secret)), htmlEscaped(secret)]
  const nested = once.flatMap((text) => [text, jsonEscaped(text)])
  const encoded = secret.length < SHORTEST_ENCODED ? [] : encodedForms(Buffer.from(secret))
  const all = new Set([...nested.flatMap((text) => [text, ...percentEncoded(text)]), ...encoded])
  return [...all].filter((text) => text !== '').toSorted((a, b) => b.length - a.length)
}

const jsonEscaped = (text: string) => JSON.stringify(text).slice(1, -1)

/** Also escapes these characters as `\u` and four digits. */
const escapedToo = (characters: RegExp) => (text: string) =>
  jsonEscaped(text).replace(characters, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const upperDigits = (text: string) =>
  text.replace(/\\u[0-9a-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`)

/** What Python and PHP escape, Go, Gson, and .NET, besides what JSON requires. */
const ESCAPED_TOO = [/[\u0080-\uffff]/g, /[<>&]/g, /[<>&=']/g, /[\u0080-\uffff<>&'+`]/g]

/** With and without an escaped slash, as PHP has it, and an escaped quote as .NET has it, and with either case of digits. */
const JSON_ESCAPES: readonly ((text: string) => string)[] = [jsonEscaped, ...ESCAPED_TOO.map(escapedToo)]
  .flatMap((each) => [each, (text: string) => each(text).replaceAll('\\"', '\\u0022')])
  .flatMap((each) => [each, (text: string) => each(text).replaceAll('/', '\\/')])
  .flatMap((each) => [each, (text: string) => upperDigits(each(text))])

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const htmlEscaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

/** As a part of a URL, and as a field of a form. */
function percentEncoded(text: string): readonly string[] {
  const component = encodeURIComponent(text.toWellFormed())
  const strict = component.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
  const field = `${new URLSearchParams({ '': text })}`.slice(1)
  const upper = [component, strict, strict.replaceAll('%20', '+'), field]
  return upper.flatMap((each) => [each, each.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())])
}

/** In hex, and in base64 wherever it begins in what was encoded: without the characters that its neighbours change. */
function encodedForms(bytes: Buffer): readonly string[] {
  const hex = bytes.toString('hex')
  const base64 = [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const whole = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_'), whole.replaceAll('/', '\\/')]
  })
  return [hex, hex.toUpperCase(), ...base64, ...base64.flatMap(percentEncoded)]
}
