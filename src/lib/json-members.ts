/**
 * Reads a few members of a JSON text, and parses nothing else of it. A megabyte of fresh memory may take the system 5 ms, so
 * a text that strangers can send is not decoded as a whole.
 */
import { decodeUtf8 } from './bytes.ts'
import type { Json } from './json.ts'

/** The members to read, by name. `*` stands for each element of a list. `true` reads the value itself. */
export type Selection = { readonly [name: string]: Selection | true }

/** In bytes. */
const LONGEST_VALUE = 32_768
/** Stands for a longer value. JSON has no such number, so the value is never mistaken for an absent or a genuine one. */
const TOO_LONG = Number.NaN
/** Every character of the longest wanted name escaped. Longer names are not wanted. */
const LONGEST_NAME = 512
const [QUOTE, BACKSLASH, COLON, COMMA, LINE_FEED] = [0x22, 0x5c, 0x3a, 0x2c, 0x0a]

/** Combines paths, e.g. `['value', '*', 'clientState']`. */
export function selectionOf(paths: readonly (readonly string[])[]): Selection | true {
  if (paths.some(({ length }) => length === 0)) return true
  const names = new Set(paths.map(([first = '']) => first))
  const inner = (name: string) => paths.filter(([first]) => first === name).map((path) => path.slice(1))
  return Object.fromEntries([...names].map((name) => [name, selectionOf(inner(name))]))
}

/**
 * Reads the wanted members of a JSON object or list: the values that `JSON.parse` would give, or `NaN` for those over 32 KB.
 * Undefined for other values, and for most texts that are not JSON. Some malformed texts do return members, so parse the text
 * before you trust them.
 */
export function readMembers(json: Uint8Array, selection: Selection): Json | undefined {
  const reader = new MemberReader(json)
  try {
    const found = reader.read(selection)
    return typeof found === 'object' && found !== null ? found : undefined
  } catch {
    return undefined // not JSON
  }
}

/**
 * The bytes of a string member of a JSON object, between its quotes, with its escapes. Undefined if the member is missing or
 * no string.
 */
export function rawText(json: Uint8Array, name: string): Uint8Array | undefined {
  const reader = new MemberReader(json)
  try {
    const [start, end] = reader.find(name)
    return json[start] === QUOTE ? json.subarray(start + 1, end - 1) : undefined
  } catch {
    return undefined
  }
}

/** Walks over the bytes once. Throws for most texts that are not JSON. */
class MemberReader {
  readonly #json: Uint8Array
  #at = 0

  constructor(json: Uint8Array) {
    this.#json = json
  }

  read(wanted: Selection | true): Json {
    const opening = this.#next()
    if (wanted !== true && opening === 0x7b /* { */) {
      const found = new Map<string, Json>()
      this.#members((name) => {
        const inner = this.#inner(wanted, name)
        if (inner === undefined) return this.#skip()
        found.set(name, this.read(inner)) // the last of several counts
      })
      return Object.fromEntries(found) // creates own members, even for `__proto__`
    }
    if (wanted !== true && opening === 0x5b /* [ */) {
      const found: Json[] = []
      this.#elements(() => {
        const inner = wanted['*'] ?? this.#inner(wanted, `${found.length}`)
        found.push((inner === undefined ? this.#skip() : this.read(inner)) ?? null)
      })
      return found
    }
    return this.#value()
  }

  #inner(wanted: Selection, name: string): Selection | true | undefined {
    return Object.hasOwn(wanted, name) ? wanted[name] : undefined
  }

  /** Where the value of the last such member begins and ends. */
  find(wanted: string): readonly [start: number, end: number] {
    let found: readonly [number, number] = [0, 0]
    if (this.#next() !== 0x7b) throw new SyntaxError()
    this.#members((name) => {
      this.#next()
      const start = this.#at
      this.#skip()
      if (name === wanted) found = [start, this.#at]
    })
    return found
  }

  /** Parses one value, if it is not too long. */
  #value(): Json {
    const start = this.#at
    this.#skip()
    return this.#at - start > LONGEST_VALUE ? TOO_LONG : this.#parse(start, this.#at)
  }

  #parse(start: number, end: number): Json {
    return JSON.parse(decodeUtf8(this.#json.subarray(start, end)) ?? '')
  }

  #members(visit: (name: string) => void): void {
    this.#elements(() => {
      if (this.#next() !== QUOTE) throw new SyntaxError()
      const start = this.#at
      this.#skipString()
      const end = this.#at
      if (this.#next() !== COLON) throw new SyntaxError()
      this.#at += 1
      if (end - start > LONGEST_NAME) this.#skip()
      else visit(`${this.#parse(start, end)}`)
    })
  }

  /** Visits each member or element, from the opening to the closing bracket. */
  #elements(visit: () => void): void {
    this.#at += 1
    if (this.#isEnd(this.#next())) {
      this.#at += 1
      return
    }
    for (;;) {
      this.#next()
      visit()
      const code = this.#next()
      this.#at += 1
      if (this.#isEnd(code)) return
      if (code !== COMMA) throw new SyntaxError()
    }
  }

  /** `}` or `]`. */
  #isEnd(code: number): boolean {
    return (code | 0x20) === 0x7d
  }

  /** The first byte that is no white space. */
  #next(): number {
    const json = this.#json
    let at = this.#at
    let code = json[at]
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      at += 1
      code = json[at]
    }
    if (code === undefined) throw new SyntaxError()
    this.#at = at
    return code
  }

  /** Passes over one value. */
  #skip(): undefined {
    const json = this.#json
    let depth = 0
    this.#next()
    do {
      const code = json[this.#at]
      if (code === undefined) throw new SyntaxError()
      if (code === QUOTE) this.#skipString()
      else if ((code | 0x20) === 0x7b) {
        depth += 1
        this.#at += 1
      } else if (this.#isEnd(code)) {
        depth -= 1
        this.#at += 1
      } else if (depth > 0) this.#at += 1
      else this.#skipLiteral()
    } while (depth > 0)
    if (depth < 0) throw new SyntaxError()
  }

  /** A number, true, false or null: up to white space, a comma or a closing bracket. */
  #skipLiteral(): void {
    const json = this.#json
    let at = this.#at
    for (; at < json.length; at += 1) {
      const code = json[at] ?? 0
      if (code <= 0x20 || code === COMMA || this.#isEnd(code)) break
    }
    this.#at = at
  }

  #skipString(): void {
    const end = endOfString(this.#json, this.#at + 1)
    if (this.#json[end] !== QUOTE) throw new SyntaxError()
    this.#at = end + 1
  }
}

/**
 * The index of the quote that ends a string, or else of the line feed, which no JSON string contains, or of the end. So the quotes
 * in a part's header do not hide the JSON after it. Passes over whole bodies: by itself where something comes every few bytes, and
 * with the engine's own search, which is forty times as fast, over all that is plain.
 */
export function endOfString(text: Uint8Array, start: number): number {
  const { length } = text
  let index = start
  let plain = 0
  let quote = -1
  for (; index < length; index += 1) {
    const code = text[index] ?? 0
    if (code === 0x5c /* \ */) {
      index += 1
      plain = 0
    } else if (code <= 0x22 && (code === 0x22 /* " */ || code === 0x0a)) return index
    else if (plain < LONG_RUN) plain += 1
    else {
      if (quote < index) quote = text.indexOf(QUOTE, index)
      if (quote < 0) quote = length
      index += plainBytes(text.subarray(index, quote)) - 1
      plain = 0
    }
  }
  return index
}

/** In bytes. To begin a search takes the engine as long as it takes to look at so many, one by one. */
const LONG_RUN = 256

/** How many bytes come before a backslash or a line feed. */
function plainBytes(text: Uint8Array): number {
  const backslash = text.indexOf(BACKSLASH)
  const plain = backslash < 0 ? text : text.subarray(0, backslash)
  const line = plain.indexOf(LINE_FEED)
  return line < 0 ? plain.length : line
}

/** The byte that an escape stands for, by the byte after the backslash. */
const ESCAPES: Uint8Array = /* @__PURE__ */ Uint8Array.from({ length: 256 }, (_, code) => {
  const letter = 'bfnrt'.indexOf(String.fromCharCode(code))
  return letter < 0 ? code : '\b\f\n\r\t'.charCodeAt(letter)
})

/**
 * Writes the text of a JSON string, given without its quotes, as UTF-8. Half a surrogate pair, which has no UTF-8, is written as
 * three bytes that are in no UTF-8. Returns the end of what is written, which is never longer than what is read. Escapes that JSON does not have
 * are written as they would be if they stood for themselves.
 */
export function unescapeJson(raw: Uint8Array, into: Uint8Array, start: number): number {
  let at = start
  let plain = 0
  for (let index = 0; index < raw.length; index += 1) {
    const code = raw[index] ?? 0
    if (code !== BACKSLASH) {
      into[at] = code
      at += 1
      plain += 1
      if (plain < LONG_RUN) continue
      const next = raw.indexOf(BACKSLASH, index)
      const rest = raw.subarray(index + 1, next < 0 ? raw.length : next)
      into.set(rest, at)
      at += rest.length
      index += rest.length
      continue
    }
    plain = 0
    index += 1
    const escaped = raw[index] ?? 0
    if (escaped !== 0x75 /* u */) {
      into[at] = ESCAPES[escaped] ?? 0
      at += 1
      continue
    }
    const unit = unitAt(raw, index + 1)
    index += 4
    const isPair = raw[index + 1] === BACKSLASH && raw[index + 2] === 0x75 && (unit & 0xfc00) === 0xd800
    const low = isPair ? unitAt(raw, index + 3) : 0
    const isWhole = (low & 0xfc00) === 0xdc00
    if (isWhole) index += 6
    at = writePoint(into, at, isWhole ? 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff) : unit)
  }
  return at
}

/** Four hexadecimal digits. */
function unitAt(raw: Uint8Array, start: number): number {
  let unit = 0
  for (let index = start; index < start + 4; index += 1) {
    const code = raw[index] ?? 0
    unit = unit * 16 + (code < 0x3a ? code & 0xf : (code & 0xf) + 9)
  }
  return unit & 0xffff
}

/** Writes a code point like UTF-8 (RFC 3629 3). Returns its end. */
function writePoint(into: Uint8Array, at: number, point: number): number {
  const length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
  if (length === 1) into[at] = point
  for (let index = length - 1, rest = point; length > 1 && index >= 0; index -= 1, rest >>= 6) {
    into[at + index] = index > 0 ? 0x80 | (rest & 0x3f) : ((0xf00 >> length) & 0xff) | rest
  }
  return at + length
}
