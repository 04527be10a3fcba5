/** A request line and headers, as text. */
export interface HeaderLines {
  /** Undefined without a request line. */
  readonly method: string | undefined
  /** The target of the request line. */
  readonly url: string | undefined
  /** The values of each header, by its lower-case name. */
  readonly headers: ReadonlyMap<string, string[]>
}

const HEADER = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*?)[ \t]*$/
/** What HTTP/2 has in place of a request line (RFC 9113 8.3.1). */
const PSEUDO_HEADER = /^:(method|path|scheme|authority):[ \t]*(\S*)[ \t]*$/
const REQUEST_LINE = /^([A-Z]+) (\S+)(?: HTTP\/[0-9.]+)?[ \t]*$/

/**
 * Reads captured headers; a request line or its pseudo-headers may come first. Undefined if a line is not a header. Also used by the site's playground.
 */
export function readHeaderLines(lines: readonly string[]): HeaderLines | undefined {
  let [, method, url] = REQUEST_LINE.exec(lines[0] ?? '') ?? []
  const headers = new Map<string, string[]>()
  for (const line of lines.slice(method === undefined ? 0 : 1)) {
    const [, pseudo, text] = PSEUDO_HEADER.exec(line) ?? []
    if (pseudo === 'method') method = text
    if (pseudo === 'path') url = text
    if (pseudo !== undefined) continue
    const [, name = '', value = ''] = HEADER.exec(line) ?? []
    if (name === '') return undefined
    const key = name.toLowerCase()
    const values = headers.get(key)
    if (values === undefined) headers.set(key, [value])
    else values.push(value)
  }
  return { method, url, headers }
}
