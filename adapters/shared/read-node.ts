import type { MaybePromise } from '../../src/lib/maybe-promise.ts'
import { joinChunks } from '../../src/lib/read-stream.ts'
import { announcesOver, BodyIncompleteError, oversizeBody } from './body.ts'
import type { Incoming } from './receiver.ts'
import { bodyTaken } from './set-up-errors.ts'

/** The part of `http.IncomingMessage` that is read here, spelt out so that the Hono adapter needs no Node types. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly rawHeaders: readonly string[]
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  readonly readableDidRead: boolean
  readonly readableEnded: boolean
  readonly socket: { readonly remoteAddress?: string | undefined }
  on(event: string, listener: (chunk: Uint8Array) => void): this
  off(event: string, listener: (chunk: Uint8Array) => void): this
  pause(): this
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
  if (request.readableDidRead || request.readableEnded) throw bodyTaken()
  if (announcesOver(limit, request.headers['content-length'])) return oversizeBody(limit)
  return collect(request, limit, timeoutMs)
}

function collect(request: NodeRequest, limit: number, timeoutMs: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const onData = (chunk: Uint8Array) => {
      chunks.push(chunk)
      length += chunk.byteLength
      if (length > limit) finish()
    }
    const finish = () => {
      stop()
      const bytes = joinChunks(chunks, length)
      resolve(length > limit ? bytes.subarray(0, limit + 1) : bytes)
    }
    const giveUp = (problem: string) => {
      stop()
      reject(new BodyIncompleteError(problem))
    }
    const onGone = () => giveUp('the connection ended before the body was complete')
    const late = () => giveUp(`the body was not complete after ${timeoutMs} ms`)
    const isThere = () => length === Number(request.headers['content-length'])
    const cancelTimer = timerUnless(isThere, timeoutMs, late)
    const stop = () => {
      cancelTimer()
      request.off('data', onData).off('end', finish).off('error', onGone).off('close', onGone).pause()
    }
    request.on('data', onData).on('end', finish).on('error', onGone).on('close', onGone)
  })
}

/** For a body that is still on its way when the code at hand has run: most are there, and a timer costs more than they do. */
function timerUnless(isThere: () => boolean, milliseconds: number, late: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let cancelled = false
  void Promise.resolve().then(() => {
    if (!cancelled && !isThere()) timer = setTimeout(late, milliseconds)
  })
  return () => {
    cancelled = true
    clearTimeout(timer)
  }
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
