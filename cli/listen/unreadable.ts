import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { remark } from '../command-line/output.ts'
import { sparingly } from '../lib/throttle.ts'

/** The statuses that Node itself would send. Everything else gets 400. */
const STATUS_LINES: { readonly [code: string]: string } = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** The first byte of a TLS handshake. */
const HANDSHAKE = 0x16

interface ParseError extends Error {
  readonly code?: string
  readonly rawPacket?: Uint8Array
}

/**
 * Answers bytes that are not HTTP as Node would, and says why on standard error: the sender sees only a failed connection,
 * and there is no delivery to print. Never prints the bytes.
 */
export function refuseUnreadable(server: Server): void {
  const underWay = new WeakMap<object, ServerResponse>()
  const track = ({ socket }: IncomingMessage, response: ServerResponse) => {
    underWay.set(socket, response)
    response.once('close', () => {
      if (underWay.get(socket) === response) underWay.delete(socket) // a pipelined request may be in flight
    })
  }
  const tell = sparingly(remark)
  server.on('request', track).on('checkContinue', track)
  server.on('clientError', (error: ParseError, socket) => {
    const { code = '' } = error
    const response = underWay.get(socket)
    // A delivery in flight has a line of its own.
    if (!response && code.startsWith('HPE_')) {
      tell(`hookgate: refused a connection: ${reasonOf(error)}`)
    }
    if (socket.writable && !response?.headersSent) {
      socket.write(`HTTP/1.1 ${STATUS_LINES[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`)
    }
    socket.destroy()
  })
}

function reasonOf({ code, rawPacket }: ParseError): string {
  if (rawPacket?.[0] === HANDSHAKE)
    return 'the sender speaks TLS, but this is http; give it the URL printed above'
  if (code === 'HPE_HEADER_OVERFLOW') return 'the headers are over 16 KB'
  return `the bytes are not an HTTP request (${code})`
}
