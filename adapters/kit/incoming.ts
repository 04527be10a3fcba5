import { ListenerConfigError } from '../../src/errors.ts'
import { memberOf, textOf } from '../../src/lib/member-of.ts'
import { kindOf } from '../../src/lib/options.ts'
import type { Listener } from '../../src/listener.ts'
import { bounded } from '../../src/told.ts'
import type { PipelinedRequest } from './pipelined-request.ts'
import type { Seat, Sender } from './seats.ts'

/** A request before its body is read. `fromNode` and `fromWeb` make one. */
export interface Incoming extends Sender {
  /** The method, in capitals. */
  readonly method: string
  /** The path with its query, or the whole URL. Some handshakes read it. */
  readonly url?: string | undefined
  /** Follows the detail of a wrong method, to say what else the adapter guards. */
  readonly where?: string | undefined
  /** Finds a header by lower-case name: an array if it was sent more than once. */
  readonly header: (name: string) => string | readonly string[] | undefined
  /** Whether the host joins the lines of a repeated header with commas: see `Delivery`. */
  readonly joinsHeaders?: boolean | undefined
  /** The place in the line of a pipelined HTTP/1 connection. `fromNode` sets it. */
  readonly pipelined?: PipelinedRequest | undefined
  /** The source address. Undefined if it is unknown, which no allowed network matches. */
  sourceIp(listener: Listener<unknown>): string | undefined
  /**
   * Reads the exact bytes, at most `limit` + 1 of them, and counts them as they arrive. Rejects with BodyIncompleteError if they
   * do not arrive in time, and with OverloadError if others need the room.
   */
  readBody(limit: number, timeoutMs: number, seat: Seat): Promise<Uint8Array>
}

/** Finds the source address of a framework's request. Throws if the listener needs an address and the setup cannot tell it. */
export type SourceFinder<Request> = (request: Request, listener: Listener<unknown>) => string | undefined

/** For `where` of an `Incoming`, if the adapter is mounted on more than one route. */
export const GUARDS_MORE =
  "; verifyWebhook also guards other routes here: mount it on the webhook's route only"

/**
 * Replaces the body of a request by bytes that a platform or an earlier middleware has read.
 *
 * @example
 * ```ts
 * const incoming = withBody(fromWeb(request), async () => new TextEncoder().encode(body))
 * ```
 */
export function withBody(incoming: Incoming, read: () => Promise<Uint8Array>): Incoming {
  return { ...incoming, readBody: async (_limit, _timeoutMs, seat) => counted(await read(), seat) }
}

/** Counts bytes that were read by something else. @throws OverloadError if there is no room for them. */
export function counted(bytes: Uint8Array, seat: Seat): Uint8Array {
  const problem = seat.add(bytes.byteLength)
  if (problem) throw problem
  return bytes
}

/** The connection ended before the body was complete, or the body took too long. */
export class BodyIncompleteError extends Error {
  override readonly name = 'BodyIncompleteError'
}

export function connectionEnded(cause?: unknown): BodyIncompleteError {
  return new BodyIncompleteError('the connection ended before the body was complete', { cause })
}

/** How runtimes name a connection that is gone. */
const GONE =
  /abort|reset|premature|terminated|disconnect|hang up|\bE(?:CONNRESET|PIPE)\b|connection|interrupted|unexpected ?eof/i

/**
 * The stream of a body has failed by itself. Its error is that of a host which accepts fewer bytes than the listener, as SvelteKit's
 * adapter for Node does, of a connection that is gone, or of whatever else stands in front.
 */
export function streamFailed(error: unknown, isGone: boolean): BodyIncompleteError | ListenerConfigError {
  const told = `${textOf(error, 'name') ?? kindOf(error)}: ${textOf(error, 'message') ?? ''}`.slice(
    0,
    MOST_READ,
  )
  const shown = bounded(told)
  if (memberOf(error, 'status') === 413 || memberOf(error, 'statusCode') === 413) {
    const problem = `is more than your host lets through (${shown}): raise the limit of the host, or lower this one`
    return new ListenerConfigError('maxBodyBytes', problem, { cause: error })
  }
  if (isGone || GONE.test(`${told} ${textOf(error, 'code')}`)) return connectionEnded(error)
  return new BodyIncompleteError(`the stream of the body failed before its end (${shown})`, { cause: error })
}

/** Characters of a host's error that are looked at. */
const MOST_READ = 1024

export function bodyLate(timeoutMs: number): BodyIncompleteError {
  return new BodyIncompleteError(`the body was not complete after ${timeoutMs} ms`)
}

export const NO_BYTES: Uint8Array<ArrayBuffer> = /* @__PURE__ */ new Uint8Array(0)

/** Placeholder for a body that was announced as too long, and so never read. Only its length is used. */
let standIn = NO_BYTES

export function oversizeBody(limit: number): Uint8Array {
  if (standIn.byteLength <= limit) standIn = new Uint8Array(limit + 1)
  return standIn.subarray(0, limit + 1)
}

/**
 * A body parser ran first. The exact bytes are gone, and serializing the payload again would change them. `keep` is how it could leave
 * the bytes, and `parser` one that it may have been, if the framework is known.
 */
export function bodyTaken(keep: string, parser?: string): ListenerConfigError {
  const problem = 'was read before hookgate could, and its exact bytes are gone'
  const mend = parser ? ` (such as ${parser})` : ', turn the parser off for this route'
  return new ListenerConfigError('body', `${problem}: run hookgate before any body parser${mend}, or ${keep}`)
}

/** The adapter is mounted on another framework. */
export function otherFramework(): ListenerConfigError {
  const mend = 'import from hookgate/express, /fastify, /hono or /web, whichever your server is'
  return new ListenerConfigError('request', `is from another framework: ${mend}`)
}
