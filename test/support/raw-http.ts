import { connect, type NetConnectOpts } from 'node:net'

export type Header = readonly [name: string, value: string]

/** A request, valid or not. `toBytes` serialises it. */
export interface RawRequest {
  readonly method: string
  readonly path: string
  readonly headers: readonly Header[]
  readonly body: Uint8Array
}

/** The bytes of a request. `framing` replaces the true Content-Length; `chunks` cuts the body up (RFC 9112 7.1). */
export function toBytes(
  request: RawRequest,
  { framing, chunkBytes }: { framing?: readonly Header[]; chunkBytes?: number } = {},
): Buffer {
  const { body } = request
  const chunked = chunkBytes === undefined ? undefined : inChunks(body, chunkBytes)
  const length: Header = chunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', `${body.byteLength}`]
  return Buffer.concat([headOf(request, framing ?? [length]), chunked ?? body])
}

/** Request line and headers, with the empty line after them. Strings are written as Latin-1, as HTTP requires. */
export function headOf({ method, path, headers }: RawRequest, framing: readonly Header[] = []): Buffer {
  const lines = [['Host', 'localhost'], ...headers, ...framing].map(([name, value]) => `${name}: ${value}`)
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'latin1')
}

/** Each chunk with its length, and an extension if given. The last one ends the body. */
export function inChunks(body: Uint8Array, chunkBytes: number, extension = ''): Buffer {
  const parts: Uint8Array[] = []
  for (let start = 0; start < body.byteLength; start += chunkBytes) {
    const chunk = body.subarray(start, start + chunkBytes)
    parts.push(Buffer.from(`${chunk.byteLength.toString(16)}${extension}\r\n`), chunk, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

export interface RawReply {
  readonly statusLine: string
  readonly status: number
  /** Lower-case names, in the order of the wire. */
  readonly headers: readonly Header[]
  readonly body: string
}

export function headerOf(reply: RawReply, name: string): string | undefined {
  return reply.headers.find(([found]) => found === name)?.[1]
}

/** A client that writes bytes and reads replies. Of HTTP, it only knows where a reply ends. */
export class RawConnection {
  readonly #socket
  readonly #closed: Promise<void>
  #received: Buffer = Buffer.alloc(0)
  #ended = false
  #wake = () => {}
  /** The interim replies (1xx) so far. */
  readonly interim: number[] = []

  constructor(address: NetConnectOpts) {
    const socket = connect(address)
    this.#socket = socket
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()))
    const end = () => {
      this.#ended = true
      this.#wake()
    }
    socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes])
      this.#wake()
    })
    socket.on('end', end).on('close', end).on('error', end)
  }

  /** Resolves when the system has taken the bytes. */
  write(bytes: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()))
  }

  /** Half-closes the connection and keeps reading. */
  finish(): void {
    this.#socket.end()
  }

  /** Destroys the connection and discards unread bytes. */
  abort(): void {
    this.#socket.destroy()
  }

  /** Resolves when the server has closed the connection, or this side has left. */
  closed(): Promise<void> {
    return this.#closed
  }

  /** The next final reply. Undefined if the connection ends first. */
  async reply({ hasBody = true }: { hasBody?: boolean } = {}): Promise<RawReply | undefined> {
    for (;;) {
      const parsed = parseReply(this.#received, hasBody, this.#ended)
      if (parsed) {
        this.#received = this.#received.subarray(parsed.length)
        if (parsed.reply.status >= 200) return parsed.reply
        this.interim.push(parsed.reply.status)
      } else {
        if (this.#ended) return undefined
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    }
  }
}

/** The reply at the start of the bytes, and its length. Undefined while it is incomplete. */
function parseReply(
  bytes: Buffer,
  hasBody: boolean,
  ended: boolean,
): { reply: RawReply; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  const headers = lines.map((line): Header => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  const start = headEnd + 4
  const bare = !hasBody || status < 200 || status === 204 || status === 304
  const end = bare ? start : bodyEnd(headers, bytes, start, ended)
  if (end === undefined || bytes.length < end) return undefined
  return { reply: { statusLine, status, headers, body: bytes.toString('utf8', start, end) }, length: end }
}

/** Ends by its length, by its last chunk, or else with the connection (RFC 9112 6.3). Chunks are not decoded. */
function bodyEnd(
  headers: readonly Header[],
  bytes: Buffer,
  start: number,
  ended: boolean,
): number | undefined {
  const value = (name: string) => headers.find(([found]) => found === name)?.[1]
  const length = value('content-length')
  if (length !== undefined) return start + Number(length)
  const lastChunk = value('transfer-encoding') === 'chunked' ? bytes.indexOf('0\r\n\r\n', start) : -1
  if (lastChunk >= 0) return lastChunk + 5
  return ended ? bytes.length : undefined
}

/** Sends one request on a new connection and returns its reply. */
export async function exchange(
  address: NetConnectOpts,
  bytes: Uint8Array,
  options: { hasBody?: boolean } = {},
): Promise<RawReply | undefined> {
  const connection = new RawConnection(address)
  void connection.write(bytes)
  const reply = await connection.reply(options)
  connection.abort()
  return reply
}
