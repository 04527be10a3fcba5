import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { plainAddress } from '../../src/lib/cidr.ts'
import { memberOf } from '../../src/lib/member-of.ts'
import { Drain, SAME_KEYSTROKE_MS } from '../../src/stop/drain.ts'
import { RefusedError } from '../command-line/exit.ts'
import { remark } from '../command-line/output.ts'
import { codeOf } from '../command-line/values.ts'
import { throttled } from '../lib/throttle.ts'

const BIND_PROBLEMS: { readonly [code: string]: string } = {
  EADDRINUSE: 'the port is in use; choose another with --port, or --port 0 for any free one',
  EACCES: 'this port needs more privileges; choose one above 1023 with --port',
  EADDRNOTAVAIL: 'this machine has no such address; choose another with --host',
  ENOTFOUND: 'there is no such host; choose another with --host',
}

/** Opens the port, and returns the base URL that reaches it. @throws RefusedError when the port cannot be opened. */
export async function bind(server: Server, host: string, port: number): Promise<string> {
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    const problem =
      BIND_PROBLEMS[codeOf(error)] ??
      `it cannot be opened (${codeOf(error)}); choose another with --port or --host`
    throw new RefusedError(`${host} port ${port}: ${problem}`)
  }
  return `http://${ANY_ADDRESS[host] ?? (host.includes(':') ? `[${host}]` : host)}:${portOf(server)}`
}

/** The address that connected. A dual-stack server reports IPv4 in an IPv6 form, which no log should show. */
export function peerOf({ socket }: IncomingMessage): string | undefined {
  const { remoteAddress } = socket
  return remoteAddress && (plainAddress(remoteAddress) ?? remoteAddress)
}

export function portOf(server: Server): number {
  return Number(memberOf(server.address(), 'port'))
}

/** These stand for every address of the machine. Maps each to one that works from here. */
const ANY_ADDRESS: { readonly [host: string]: string } = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }

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
export function refuseMalformed(server: Server): void {
  const underWay = new WeakMap<object, ServerResponse>()
  const track = ({ socket }: IncomingMessage, response: ServerResponse) => {
    underWay.set(socket, response)
    response.once('close', () => {
      if (underWay.get(socket) === response) underWay.delete(socket) // a pipelined request may be in flight
    })
  }
  const warn = throttled(remark)
  server.on('request', track).on('checkContinue', track)
  server.on('clientError', (error: ParseError, socket) => {
    const { code = '' } = error
    const response = underWay.get(socket)
    // A delivery in flight has a line of its own.
    if (!response && code.startsWith('HPE_')) {
      warn(`hookgate: refused a connection: ${parseProblem(error)}`)
    }
    if (socket.writable && !response?.headersSent) {
      socket.write(`HTTP/1.1 ${STATUS_LINES[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`)
    }
    socket.destroy()
  })
}

function parseProblem({ code, rawPacket }: ParseError): string {
  if (rawPacket?.[0] === HANDSHAKE)
    return 'the sender speaks TLS, but this is http; give it the URL printed above'
  if (code === 'HPE_HEADER_OVERFLOW') return 'the headers are over 16 KB'
  return `the bytes are not an HTTP request (${code})`
}

const INTERRUPTED = 130

/**
 * Resolves after Ctrl-C, SIGTERM, or the end of the terminal or of standard output, once every delivery in flight is answered.
 * Returns their number. A second Ctrl-C ends the process at once.
 */
export function untilStopped(server: Server): Promise<number> {
  const drain = new Drain(server, ['request', 'checkContinue'])
  let stoppedAt: number | undefined
  return new Promise((resolve) => {
    const finish = () => {
      if (stoppedAt !== undefined) return
      stoppedAt = performance.now()
      const { inFlight } = drain
      void drain.close().then(() => resolve(inFlight))
      if (inFlight > 0) remark(`hookgate: finishing ${inFlight} in flight; Ctrl-C again stops at once`)
    }
    const stop = () => {
      if (stoppedAt === undefined) finish()
      else if (performance.now() - stoppedAt > SAME_KEYSTROKE_MS) process.exit(INTERRUPTED)
    }
    process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', finish)
    process.stdout.on('error', finish) // nobody reads it any more
  })
}
