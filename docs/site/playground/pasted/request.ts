/** A request that somebody has pasted, as a sender sent it. */
export interface PastedRequest {
  /** What it was read from, e.g. `a curl command`. */
  readonly from: string
  readonly method: string
  /** Absolute. Undefined if the text has only a path. */
  readonly url: string | undefined
  /** Each with its value, in their order. */
  readonly headers: readonly Header[]
  readonly body: Uint8Array
  /** What the text does not say for sure. A sentence. */
  readonly doubt?: string
}

export type Header = readonly [name: string, value: string]

const MOST_HEADERS = 200
const NAME = /^[\w!#$%&'*+.^`|~-]+$/
/** These would begin another header. */
const BREAK = /[\0\r\n]/

/**
 * Checks headers before they become lines of text.
 * @throws SyntaxError for a name that is none, for a value with a line break, and for more than 200.
 */
export function checkedHeaders(headers: readonly Header[]): readonly Header[] {
  if (headers.length > MOST_HEADERS)
    throw new SyntaxError(`A request has at most ${MOST_HEADERS} headers here.`)
  for (const [name, value] of headers) {
    if (!NAME.test(name)) throw new SyntaxError(`“${name.slice(0, 40)}” is not the name of a header.`)
    if (BREAK.test(value)) throw new SyntaxError(`The header ${name} has a line break in its value.`)
  }
  return headers
}

/** A URL without its user and password, and the header that these stand for. @throws SyntaxError */
export function withoutCredentials(text: string): {
  readonly url: string
  readonly headers: readonly Header[]
} {
  const url = parsedUrl(text)
  const { username, password } = url
  if (username === '' && password === '') return { url: text, headers: [] }
  url.username = ''
  url.password = ''
  return { url: url.href, headers: [basic(`${decoded(username)}:${decoded(password)}`)] }
}

export function parsedUrl(text: string): URL {
  try {
    const url = new URL(text)
    if (/^https?:$/.test(url.protocol)) return url
  } catch {} // reported below
  throw new SyntaxError('The request has no URL that begins with http:// or https://.')
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The header for a user and a password. */
export function basic(credentials: string): Header {
  return ['Authorization', `Basic ${btoa(binaryOf(new TextEncoder().encode(credentials)))}`]
}

const AT_ONCE = 8_192

/** The bytes as characters from U+0000 to U+00FF. */
export function binaryOf(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += AT_ONCE) {
    text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE))
  }
  return text
}

/** The bytes that `binaryOf` has written. */
export function bytesOf(binary: string): Uint8Array {
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

export function textOf(binary: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytesOf(binary))
}
