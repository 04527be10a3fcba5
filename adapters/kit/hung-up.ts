import type { NodeResponse } from './read-node.ts'

/** Node's `AsyncLocalStorage`. Declared, because web runtimes compile this without Node's types. */
interface AsyncContext {
  enterWith(mark: object): void
  getStore(): unknown
  disable(): void
}

declare const process:
  | { getBuiltinModule?(name: string): { AsyncLocalStorage: new () => AsyncContext } | undefined }
  | undefined
declare const setImmediate: (callback: () => void) => unknown

/**
 * How a handler has ended: with a status that nothing sends any more, with what its framework sends now, or without an answer, which
 * something else gives, such as a callback.
 */
export type HandlerEnd = number | 'answers' | 'leaves'

/**
 * The status with which a handler ends whose client has left. Undefined if only something else has ended the response. Pending until then.
 * Rejects if the handler does.
 *
 * Anything may end the response because of its `close`, such as a middleware or a stream that is cancelled, without knowing how
 * the handler will end. So what the listeners of `close` have started counts only once the handler has returned, and so does
 * what ends it in the same turn of the event loop, because that may have waited for `close`.
 *
 * @param isClosing Whether `close` is being emitted. If not, it was before the handler started.
 * @param onReturn Called if the handler ends before the response.
 */
export async function statusAfterHangUp(
  response: NodeResponse,
  isClosing: boolean,
  handled: () => Promise<HandlerEnd> | undefined,
  onReturn: () => void,
): Promise<number | undefined> {
  const closed = endOf(response, isClosing)
  if (!isClosing) await undefined // the handler starts now
  const returned = handled()
  const before = isClosing ? await Promise.race([returned, aMoment()]) : undefined
  const first = before ?? (await Promise.race([returned ?? closed, closed]))
  if (typeof first === 'object') {
    const own = first.isByHandler ? first.status : await returned
    return typeof own === 'number' ? own : undefined
  }
  if (first !== 'leaves') onReturn()
  // A success that was being sent when the client left may have been cut off.
  if (typeof first === 'number' && (before === undefined || first >= 300)) return first
  const { status, isByHandler } = await closed
  return isByHandler || (first === 'answers' && before === undefined) ? status : undefined
}

/** After the callbacks of a promise that was fulfilled before, and of one that depends on it. */
async function aMoment(): Promise<undefined> {
  await undefined
}

/** How a response was ended. */
interface ResponseEnd {
  /** What the handler chose last. */
  readonly status: number
  /** Whether it certainly was its handler, and nothing that waited for `close`. */
  readonly isByHandler: boolean
}

async function endOf(response: NodeResponse, isClosing: boolean): Promise<ResponseEnd> {
  if (response.writableEnded) return { status: response.statusCode, isByHandler: false }
  const mark = {}
  follow(mark, response)
  let isSameTurn = isClosing
  if (isClosing)
    setImmediate(() => {
      isSameTurn = false
    })
  const { end, writeHead } = response
  let written = 0 // HTTP/2 drops it, because nobody gets it
  response.writeHead = (status, ...rest) => {
    written = status
    return Reflect.apply(writeHead, response, [status, ...rest])
  }
  return new Promise((resolve) => {
    response.end = (...given) => {
      const returned = Reflect.apply(end, response, given)
      const isByHandler = !isSameTurn && isFollowing(mark) === !isClosing
      resolve({ status: Math.max(written, response.statusCode), isByHandler })
      unfollow(mark)
      return returned
    }
  })
}

let context: AsyncContext | undefined
/** Empty most of the time: before Node 24, following makes every promise of the process slower. */
const followed = new Set<object>()
let forgotten: FinalizationRegistry<object> | undefined

/** Marks what runs next, and whatever that starts, until `unfollow` or the end of the response's life. */
function follow(mark: object, response: object): void {
  const hooks = typeof process === 'object' ? process.getBuiltinModule?.('node:async_hooks') : undefined
  if (hooks === undefined) return
  context ??= new hooks.AsyncLocalStorage()
  forgotten ??= new FinalizationRegistry(unfollow)
  forgotten.register(response, mark) // its handler may never end it
  followed.add(mark)
  context.enterWith(mark)
}

/** Whether what runs now has this mark. Undefined if nobody knows. */
function isFollowing(mark: object): boolean | undefined {
  return context && context.getStore() === mark
}

function unfollow(mark: object): void {
  followed.delete(mark)
  if (followed.size === 0) context?.disable()
}
