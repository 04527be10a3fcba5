import type { Socket } from 'node:net'
import { remark } from './output.ts'

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
export function refuseUnreadable(error: ParseError, socket: Socket): void {
  const { code = '' } = error
  // Node's own look at it. In the midst of a delivery, that has a line of its own.
  const response: unknown = Reflect.get(socket, '_httpMessage')
  if (!response && code.startsWith('HPE_')) {
    remark(`hookgate: a sender was refused before its delivery: ${reasonOf(error)}`)
  }
  if (socket.writable && Object(response).headersSent !== true) {
    socket.write(`HTTP/1.1 ${STATUS_LINES[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`)
  }
  socket.destroy()
}

function reasonOf({ code, rawPacket }: ParseError): string {
  if (rawPacket?.[0] === HANDSHAKE)
    return 'it speaks TLS, and this is http: give it the URL as it stands above'
  if (code === 'HPE_HEADER_OVERFLOW') return 'its headers are over 16 KB'
  return `what it sent is no HTTP request (${code})`
}
