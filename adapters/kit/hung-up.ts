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
 * Calls `tell` when the handler has returned, and neither failed nor left its answer to something else: with its status if the
 * framework will not end the response, and otherwise without. `isClosing`: `close` is being emitted.
 */
export type WhenReturned = (tell: (status?: number) => void, isClosing: boolean) => void

/**
 * Calls `onEnd`, at most once, with the status of a handler whose client has left. Never, if it does not end. Before that, calls it
 * without a status if something else has ended the response.
 *
 * Anything may end the response because of its `close`, such as a middleware or a stream that is cancelled, without knowing how
 * the handler will end. So what the listeners of `close` have started counts only once the handler has returned, and so does
 * what ends it in the same turn of the event loop, because it may have waited for `close`.
 *
 * @param isClosing Whether `close` is being emitted. If not, it was before the handler started.
 */
export function afterHangUp(
  response: NodeResponse,
  isClosing: boolean,
  whenReturned: WhenReturned | undefined,
  onEnd: (status?: number) => void,
): void {
  if (response.writableEnded) return void onEnd() // by something other than the handler
  const mark = {}
  follow(mark, response)
  let isSameTurn = isClosing
  let hasReturned = false
  let ended: number | undefined
  let isOver = false
  const finish = (status: number | undefined) => {
    if (isOver || status === undefined) return
    isOver = true
    unfollow(mark)
    onEnd(status)
  }
  noteEnd(response, (status) => {
    if (ended !== undefined) return
    const isByHandler = !isSameTurn && isFollowing(mark) === !isClosing
    ended = status
    if (hasReturned || isByHandler) finish(status)
    else onEnd()
    unfollow(mark)
  })
  let hadReturned = isClosing
  whenReturned?.((own) => {
    if (hadReturned) return
    hasReturned = true
    finish(own ?? (isSameTurn ? ended : undefined))
  }, isClosing)
  if (!isClosing) return
  // After the callbacks of a promise that was fulfilled before.
  queueMicrotask(() => {
    hadReturned = false
  })
  setImmediate(() => {
    isSameTurn = false
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

/** Calls `onEnd` when the response is ended, with the status that the handler chose last. */
function noteEnd(response: NodeResponse, onEnd: (status: number) => void): void {
  const { end, writeHead } = response
  let written = 0 // HTTP/2 drops it, because nobody gets it
  response.end = (...given) => {
    const returned = Reflect.apply(end, response, given)
    onEnd(Math.max(written, response.statusCode))
    return returned
  }
  response.writeHead = (status, ...rest) => {
    written = status
    return Reflect.apply(writeHead, response, [status, ...rest])
  }
}
