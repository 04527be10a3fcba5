import type { MaybePromise } from '../../src/lib/maybe-promise.ts'
import { Arrival, type NodeStream } from './arrival.ts'
import { announcesOver, connectionEnded, oversizeBody } from './body.ts'
import type { Incoming } from './receiver.ts'
import { bodyTaken } from './set-up-errors.ts'

/** The part of `http.IncomingMessage` that is read here, spelt out so that the Hono adapter needs no Node types. */
export interface NodeRequest extends NodeStream {
  readonly method?: string | undefined
  readonly httpVersionMajor?: number
  readonly rawHeaders: readonly string[]
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  readonly readableDidRead: boolean
  readonly readableEnded: boolean
  /** Null while nobody has begun to read. */
  readonly readableFlowing: boolean | null
  readonly socket: { readonly remoteAddress?: string | undefined; readonly destroyed?: boolean }
  /** Hosts that read the body first leave its bytes in `rawBody` (cloud functions) or `body` (`express.raw`). */
  readonly rawBody?: unknown
  readonly body?: unknown
}

/** What a Node request says of itself, whatever framework wraps it. */
export function nodeIncoming(request: NodeRequest): Incoming {
  return {
    method: request.method ?? '',
    header: (name) => nodeHeader(request, name),
    readBody: (limit, timeoutMs) => readNodeBody(request, limit, timeoutMs),
  }
}

/**
 * The exact bytes of a Node request's body, or the first `limit` + 1 of them.
 *
 * @throws BodyIncompleteError when the sender stops early, or is not done within `timeoutMs`.
 * @throws ListenerConfigError when a parser has taken the body and left no bytes.
 */
function readNodeBody(request: NodeRequest, limit: number, timeoutMs: number): MaybePromise<Uint8Array> {
  if (request.rawBody instanceof Uint8Array) return request.rawBody
  if (request.body instanceof Uint8Array) return request.body
  // While its listener was looked for, say. The stream would tell no one any more.
  if (request.socket.destroyed) return Promise.reject(connectionEnded())
  if (request.readableDidRead || request.readableEnded) throw bodyTaken()
  // Not by `request.headers`, which Node makes of all headers when it is first asked for.
  const contentLength = nodeHeader(request, 'content-length')
  if (announcesOver(limit, contentLength)) return oversizeBody(limit)
  return new Promise((resolve, reject) => {
    // On HTTP/2 a body that is all there need not have ended.
    const announced = request.httpVersionMajor === 1 ? Number(contentLength) : Number.NaN
    new Arrival(request, limit, resolve, reject).begin(timeoutMs, announced)
  })
}

/**
 * A header by its lower-case name, from the raw list: `request.headers` drops or joins repetitions, each name by a rule
 * of its own. Hosts that make requests by hand may leave the raw list empty.
 */
export function nodeHeader(request: NodeRequest, name: string): string | readonly string[] | undefined {
  const { rawHeaders } = request
  if (rawHeaders.length === 0) return request.headers[name]
  let found: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index]
    if (candidate?.length !== name.length || candidate.toLowerCase() !== name) continue
    if (found !== undefined) return allNodeHeaders(rawHeaders, name)
    found = rawHeaders[index + 1]
  }
  return found
}

function allNodeHeaders(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
}
