import type { NodeResponse } from './read-node.ts'

/** Where there are Node responses. Declared, because web runtimes compile this without Node's types. */
declare const setImmediate: (callback: () => void) => unknown

/**
 * Calls `tell` when the handler has returned, and neither failed nor left its answer to something else: with its status if the
 * framework ends no response of a client that has left, and otherwise without. `isClosing`: `close` is being emitted.
 */
export type WhenReturned = (tell: (status?: number) => void, isClosing: boolean) => void

/**
 * Calls `onEnd`, at most once, with the status of a handler whose client has left. Never, if it does not end.
 *
 * Anything may end the response because of its `close`, such as a middleware or a stream that is cancelled, without knowing how
 * the handler will end. So what ends it in that turn of the event loop counts only if the handler has returned in it too, and
 * not before.
 *
 * @param isClosing Whether `close` is being emitted. If not, it was before the handler started.
 */
export function afterHangUp(
  response: NodeResponse,
  isClosing: boolean,
  whenReturned: WhenReturned | undefined,
  onEnd: (status: number) => void,
): void {
  if (response.writableEnded) return // by something other than the handler
  let status: number | undefined
  let isLater = !isClosing
  let hasReturned = false
  let isOver = false
  const look = () => {
    if (isOver || status === undefined || !(isLater || hasReturned)) return
    isOver = true
    onEnd(status)
  }
  noteEnd(response, (last) => {
    status ??= last
    look()
  })
  let hadReturned = isClosing
  whenReturned?.((own) => {
    if (hadReturned) return
    hasReturned = true
    status ??= own
    look()
  }, isClosing)
  if (!isClosing) return
  // After the callbacks of a promise that was fulfilled before.
  queueMicrotask(() => {
    hadReturned = false
  })
  const endTurn = () => {
    isLater = true
    isOver ||= status !== undefined
  }
  setTimeout(endTurn) // before the timers of others, which may come first in a turn that took long
  // The first immediate: others that `close` has started follow, and no more after the next one.
  setImmediate(() => {
    isLater = false
    setImmediate(endTurn)
  })
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
