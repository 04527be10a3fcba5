import type { MaybePromise } from '../../src/lib/maybe-promise.ts'
import { Arrival, type NodeStream } from './arrival.ts'
import { announcedBytes, connectionEnded, oversizeBody } from './body.ts'
import type { Incoming } from './incoming.ts'
import { bodyTaken, otherFramework } from './set-up-errors.ts'
import type { NodeResponse } from './settle-after.ts'
import { type Connection, Turn } from './turn.ts'

/** The part of `http.IncomingMessage` that is read here, spelt out so that the Hono adapter needs no Node types. */
export interface NodeRequest extends NodeStream {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly httpVersionMajor?: number
  readonly rawHeaders: readonly string[]
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  readonly readableDidRead: boolean
  readonly readableEnded: boolean
  readonly aborted?: boolean
  /** Null while nobody has begun to read. */
  readonly readableFlowing: boolean | null
  readonly socket: Connection & { readonly remoteAddress?: string | undefined; readonly destroyed?: boolean }
  /** Hosts that read the body first leave its bytes in `rawBody` (cloud functions) or `body` (`express.raw`). */
  readonly rawBody?: unknown
  readonly body?: unknown
}

/** What a Node request says of itself, whatever framework wraps it. */
export function nodeIncoming(request: NodeRequest, response: NodeResponse | undefined): Incoming {
  const header = nodeHeaders(request)
  const announced = announcedBytes(header('content-length'))
  return {
    method: request.method ?? '',
    url: request.url,
    header,
    announced,
    turn: response && request.httpVersionMajor === 1 ? new Turn(request.socket, response) : undefined,
    readBody: (limit, timeoutMs) => readNodeBody(request, announced, limit, timeoutMs),
    whenGone: (tell) => void response?.on('close', tell),
  }
}

/**
 * The exact bytes of a Node request's body, or the first `limit` + 1 of them.
 *
 * @throws BodyIncompleteError when the sender stops early, or is not done within `timeoutMs`.
 * @throws ListenerConfigError when a parser has taken the body and left no bytes.
 */
function readNodeBody(
  request: NodeRequest,
  announced: number | undefined,
  limit: number,
  timeoutMs: number,
): MaybePromise<Uint8Array> {
  // While its listener was looked for, say. The stream would tell no one any more.
  if (request.socket.destroyed) return Promise.reject(connectionEnded())
  // Not asked of a fresh request: of those of Express each question costs a microsecond.
  if (request.readableFlowing !== null) {
    if (request.rawBody instanceof Uint8Array) return request.rawBody
    if (request.body instanceof Uint8Array) return request.body
    if (request.readableDidRead || request.readableEnded) throw bodyTaken()
  }
  if (announced !== undefined && announced > limit) return oversizeBody(limit)
  return new Promise((resolve, reject) => {
    if (request.httpVersionMajor === 1) {
      return new Arrival(request, limit, resolve, reject).begin(timeoutMs, announced ?? Number.NaN)
    }
    // On HTTP/2 a body that is all there need not have ended, and one that is reset without an error ends like a whole one.
    const end = (bytes: Uint8Array) => (request.aborted ? reject(connectionEnded()) : resolve(bytes))
    new Arrival(request, limit, end, reject).begin(timeoutMs, Number.NaN)
  })
}

/**
 * Finds headers by their lower-case names, in the raw list: `request.headers` drops or joins repetitions, each name by a
 * rule of its own, and is made when it is first asked for. Hosts that make requests by hand may leave the raw list empty.
 */
export function nodeHeaders(request: NodeRequest): Incoming['header'] {
  // Once: no two requests of Express have one hidden class, so that all that is asked of them is looked for anew.
  const { rawHeaders } = request
  if (rawHeaders === undefined) throw otherFramework()
  return rawHeaders.length === 0 ? (name) => request.headers[name] : (name) => findHeader(rawHeaders, name)
}

function findHeader(rawHeaders: readonly string[], name: string): string | readonly string[] | undefined {
  let found: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index]
    if (candidate?.length !== name.length || (candidate !== name && candidate.toLowerCase() !== name))
      continue
    if (found !== undefined) return findAll(rawHeaders, name)
    found = rawHeaders[index + 1]
  }
  return found
}

function findAll(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
}
