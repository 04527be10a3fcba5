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
const REQUEST_LINE = /^([A-Z]+) (\S+)(?: HTTP\/[0-9.]+)?[ \t]*$/

/**
 * Reads captured headers; a request line may come first. Undefined if a line is not a header. Also used by the site's playground.
 */
export function readHeaderLines(lines: readonly string[]): HeaderLines | undefined {
  const [, method, url] = REQUEST_LINE.exec(lines[0] ?? '') ?? []
  const headers = new Map<string, string[]>()
  for (const line of lines.slice(method === undefined ? 0 : 1)) {
    const [, name = '', value = ''] = HEADER.exec(line) ?? []
    if (name === '') return undefined
    const key = name.toLowerCase()
    headers.set(key, [...(headers.get(key) ?? []), value])
  }
  return { method, url, headers }
}
