import { announcedBytes } from '../../src/delivery.ts'
import { memberOf } from '../../src/lib/member-of.ts'
import { NO_BYTES, type SourceFinder } from '../kit/incoming.ts'
import { fromNode, type NodeRequest } from '../kit/read-node.ts'
import type { BodyCopy } from './body-copy.ts'
import { bytesGone, exactBytes, isDoubtful, isExact, type ObservedRequest } from './observed-request.ts'

/** A Node request, with what shows how it is read. */
export interface EmittingRequest extends NodeRequest {
  /** Hands each chunk to whatever reads the request. */
  emit(event: string, ...given: unknown[]): boolean
  /** The encoding of its text, if its reader asked for text. */
  readonly readableEncoding: string | null
}

/**
 * Turns a Node request, in any framework, into one whose body is copied while something else reads it. Bytes that a parser
 * kept in `rawBody` or `body` come first.
 *
 * @example
 * ```ts
 * void observer.observe(req, () => observedNode(req, behindProxies(['10.0.0.0/8'])))
 * ```
 *
 * @throws ListenerConfigError if it is not a Node request.
 */
export function observedNode<Request extends EmittingRequest>(
  request: Request,
  sourceOf?: SourceFinder<Request>,
): ObservedRequest {
  const { method, url, header, joinsHeaders, sourceIp } = fromNode(request, undefined, sourceOf)
  const announced = announcedBytes(header('content-length'))
  return {
    method,
    url,
    header,
    joinsHeaders,
    sourceIp,
    copyBody(copy) {
      const kept = exactBytes(request.rawBody, announced) ?? keptBody(request)
      if (kept) return copy.endWith(kept)
      if (announced === 0 || (announced === undefined && isEmpty(request, header)))
        return copy.endWith(NO_BYTES)
      if (request.readableDidRead || request.readableEnded) throw bytesGone()
      follow(request, announced, copy)
    },
  }
}

const encoder = new TextEncoder()

/** Whether no body follows, if no header announces its length. */
function isEmpty({ httpVersionMajor, stream }: NodeRequest, header: ObservedRequest['header']): boolean {
  if (httpVersionMajor === 2) return memberOf(stream, 'endAfterHeaders') === true
  return header('transfer-encoding') === undefined
}

/** Text in `body` may be parsed JSON, so only bytes are exact. */
function keptBody({ body }: NodeRequest): Uint8Array | undefined {
  return body instanceof Uint8Array ? body : undefined
}

/**
 * Copies a body on its way to its reader. Stands before `emit`, because a listener for `data` would start the stream before its
 * reader is there, and restart one that its reader has paused.
 */
function follow(request: EmittingRequest, announced: number | undefined, copy: BodyCopy): void {
  /** Text whose bytes cannot be told. */
  let hasDoubt = false

  copy.shadow(request, 'emit', (original, _, [event, chunk]) => {
    if (event === 'data') copy.attempt(() => take(chunk)) // before its reader, who may change the chunk
    const isHeard = original()
    copy.attempt(() => after(`${event}`, isHeard === true))
    return isHeard
  })
  // What a reader puts back comes again, perhaps changed, or after other bytes.
  copy.shadow(request, 'unshift', (original) => {
    copy.abandon()
    return original()
  })

  function take(chunk: unknown): void {
    const isText = typeof chunk === 'string'
    if (isText) hasDoubt ||= request.readableEncoding !== 'utf8' || isDoubtful(chunk)
    copy.take(isText ? encoder.encode(chunk) : (chunk as Uint8Array)) // what Node emits
  }

  function after(event: string, isHeard: boolean): void {
    if (event === 'end' && (isHeard || copy.length > 0)) {
      if (isExact(copy.length, announced, hasDoubt)) copy.end()
      else copy.fail(bytesGone())
    } else if (event === 'data' ? !isHeard && isDropped() : ENDS.includes(event)) copy.abandon()
  }

  /** Whether the stream flows, so that a chunk that nothing hears is lost. Otherwise something called `read()`. */
  function isDropped(): boolean {
    return request.readableFlowing === true
  }
}

const ENDS = ['end', 'close', 'error', 'aborted']
