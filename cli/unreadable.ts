import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { remark } from './output.ts'
import { sparingly } from './sparingly.ts'

/** What Node answers by itself; 400 to all others. */
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
 * Answers what is no HTTP request as Node would, and tells of it: the sender sees an error of its connection, and there
 * is no delivery to print. Of the bytes themselves nothing is told.
 */
export function refuseUnreadable(server: Server): void {
  const underWay = new WeakMap<object, ServerResponse>()
  const track = ({ socket }: IncomingMessage, response: ServerResponse) => {
    underWay.set(socket, response)
    response.once('close', () => {
      if (underWay.get(socket) === response) underWay.delete(socket) // pipelined, another may be under way
    })
  }
  const tell = sparingly(remark)
  server.on('request', track).on('checkContinue', track)
  server.on('clientError', (error: ParseError, socket) => {
    const { code = '' } = error
    const response = underWay.get(socket)
    // In the midst of a delivery, that has a line of its own.
    if (!response && code.startsWith('HPE_')) {
      tell(`hookgate: a sender was refused before its delivery: ${reasonOf(error)}`)
    }
    if (socket.writable && !response?.headersSent) {
      socket.write(`HTTP/1.1 ${STATUS_LINES[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`)
    }
    socket.destroy()
  })
}

function reasonOf({ code, rawPacket }: ParseError): string {
  if (rawPacket?.[0] === HANDSHAKE)
    return 'it speaks TLS, and this is http: give it the URL as it stands above'
  if (code === 'HPE_HEADER_OVERFLOW') return 'its headers are over 16 KB'
  return `what it sent is no HTTP request (${code})`
}
