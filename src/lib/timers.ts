import { memberOf } from './member-of.ts'

/** Like `setTimeout`, but keeps no process alive. */
export function afterwards(milliseconds: number, work: () => void): ReturnType<typeof setTimeout> {
  const timer = setTimeout(work, Math.max(0, milliseconds)) // Node 24 warns of negative ones
  const unref = memberOf(timer, 'unref') // not every runtime has it
  if (typeof unref === 'function') Reflect.apply(unref, timer, [])
  return timer
}

const { setImmediate } = globalThis as { readonly setImmediate?: (work: () => void) => unknown }

/** Resolves when all that is settled by now has had its consequences. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void (setImmediate ?? soon)(resolve))
}

/** Not every runtime has `setImmediate`. */
const soon = (work: () => void) => setTimeout(work, 0)

/**
 * Gives up after so long, unless you call what this returns. Timers are due before sockets are read, so it first reads the answers that have
 * come while the process was busy. Keeps no process alive.
 */
export function unlessAnswered(milliseconds: number, giveUp: () => void): () => void {
  let isAnswered = false
  const timer = afterwards(milliseconds, () => void nextTurn().then(() => isAnswered || giveUp()))
  return () => {
    isAnswered = true
    clearTimeout(timer)
  }
}

/** Waits for the work, but no longer. Returns whether it has ended. */
export async function within(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds)
  })
  const hasEnded = await Promise.race([work.then(() => true), late])
  clearTimeout(timer)
  return hasEnded
}
