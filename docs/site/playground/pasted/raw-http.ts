import { binaryOf, bytesOf, checkedHeaders, type Header, type PastedRequest } from './request.ts'

const REQUEST_LINE = /^([A-Z]+) (\S+)(?: HTTP\/[0-9.]+)?$/
const HEADER = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/

export const isRawHttp = (text: string): boolean =>
  REQUEST_LINE.test(text.slice(0, 4_096).split(/\r?\n/, 1)[0] ?? '')

/**
 * Reads a request as it goes over the wire, or as an editor saved it: a request line, headers, an empty line, the body.
 * @throws SyntaxError for a line that is not a header, and for chunks that are cut.
 */
export function readRawHttp(text: string): PastedRequest {
  const [, head = text, rest = ''] = /^([\s\S]*?)\r?\n\r?\n([\s\S]*)$/.exec(text) ?? []
  const [first = '', ...lines] = head.split(/\r?\n/)
  const [, method = '', target = ''] = REQUEST_LINE.exec(first) ?? []
  const headers = checkedHeaders(lines.filter((line) => line !== '').map(headerIn))
  const of = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
  const host = of('host')
  const url = /^https?:/.test(target) ? target : host === undefined ? undefined : `https://${host}${target}`
  const isChunked = /\bchunked\b/i.test(of('transfer-encoding') ?? '')
  const bytes = new TextEncoder().encode(rest)
  const body = isChunked ? unchunked(bytes) : ofLength(rest, of('content-length'))
  return { from: 'an HTTP request', method, url, headers, ...body }
}

function headerIn(line: string): Header {
  const [, name, value = ''] = HEADER.exec(line) ?? []
  if (name === undefined)
    throw new SyntaxError(`“${line.slice(0, 40)}” is not a header. An empty line ends the headers.`)
  return [name, value]
}

/** Copying changes line breaks, and adds one at the end: the length says which body was sent. */
function ofLength(
  text: string,
  given: string | undefined,
): { readonly body: Uint8Array; readonly doubt?: string } {
  const length = Number(given)
  const asIs = new TextEncoder().encode(text)
  if (given === undefined || asIs.length === length) return { body: asIs }
  const variants = [
    text.replace(/\r?\n$/, ''),
    text.replaceAll(/\r?\n/g, '\r\n'),
    text.replace(/\r?\n$/, '').replaceAll(/\r?\n/g, '\r\n'),
  ].map((variant) => new TextEncoder().encode(variant))
  const body = variants.find((variant) => variant.length === length)
  if (body) return { body }
  return { body: asIs, doubt: `Content-Length says ${length} bytes, and the body has ${asIs.length}.` }
}

/** The body that the chunks hold (RFC 9112, 7.1), whether their lines end with CRLF or, copied, with LF. @throws SyntaxError */
function unchunked(bytes: Uint8Array): { readonly body: Uint8Array } {
  const binary = binaryOf(bytes)
  const ended = `${binary}\n` // once: each such text is copied
  const parts: string[] = []
  const size = /([0-9a-fA-F]{1,8})(?:;[^\r\n]*)?\r?\n/y
  for (let at = 0; ; ) {
    size.lastIndex = at
    const found = size.exec(ended)
    if (!found) throw new SyntaxError('The chunks of the body are cut: paste it without Transfer-Encoding.')
    const length = Number.parseInt(found[1] ?? '', 16)
    if (length === 0) return { body: bytesOf(parts.join('')) }
    const end = size.lastIndex + length
    if (end > binary.length) throw new SyntaxError('The chunks of the body are cut: paste all of them.')
    parts.push(binary.slice(size.lastIndex, end))
    at = binary.startsWith('\r\n', end) ? end + 2 : end + 1
  }
}
