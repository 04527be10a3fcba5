/** Turns of the event loop, for what Node computes on its one thread. Only `node.ts` needs them. */

/** How many bytes are hashed or copied in one turn of the event loop: the work of half a millisecond, or of a few on a slow machine. */
export const BYTES_A_TURN = 262_144

/** What work on bytes that were abandoned rejects with. */
export const ABANDONED: Error = /* @__PURE__ */ new Error('nobody waits for the result any more')

const abandoned = /* @__PURE__ */ new WeakSet<Uint8Array>()

interface Waiting {
  readonly bytes: Uint8Array
  readonly most: number
  resolve(): void
  reject(problem: Error): void
}

let waiting: Waiting[] = []

interface Runtime {
  readonly setImmediate?: (callback: () => void) => unknown
}

/** Read once: the fake timers of a test would otherwise stop what is no timer. */
const later = /* @__PURE__ */ (() => (globalThis as Runtime).setImmediate ?? setTimeout)()

/**
 * Waits until up to `most` of these bytes may be worked on. All that wait share one allowance per turn of the event loop, in the
 * order in which they asked, so that however many there are, timers and connections are served in between. Rejects with
 * `ABANDONED` if nobody waits for the result any more.
 */
export function turnFor(bytes: Uint8Array, most: number): Promise<void> {
  return new Promise((resolve, reject) => {
    if (waiting.push({ bytes, most, resolve, reject }) === 1) later(takeTurn)
  })
}

/** Ends the work on these bytes at its next turn, because nobody waits for the result. */
export function abandon(bytes: Uint8Array): void {
  abandoned.add(bytes)
}

export function wasAbandoned(error: unknown): boolean {
  return error === ABANDONED
}

function takeTurn(): void {
  let left = BYTES_A_TURN
  let served = 0
  for (const { bytes, most, resolve, reject } of waiting) {
    if (left <= 0) break
    served += 1
    if (abandoned.has(bytes)) reject(ABANDONED)
    else {
      left -= most
      resolve()
    }
  }
  waiting = waiting.slice(served)
  if (waiting.length > 0) later(takeTurn)
}

/** How many bytes of fresh memory are filled in one turn: the system may take as long to provide them as to hash four times as many. */
const COPIED_A_TURN = 65_536

/** Concatenates in turns. `key` is what the work is abandoned by. */
export async function joinInTurns(
  chunks: readonly Uint8Array[],
  length: number,
  key?: Uint8Array,
): Promise<Uint8Array> {
  const joined = new Uint8Array(length)
  let end = 0
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += COPIED_A_TURN) {
      const slice = chunk.subarray(at, at + COPIED_A_TURN)
      await turnFor(key ?? joined, slice.length * (BYTES_A_TURN / COPIED_A_TURN))
      joined.set(slice, end)
      end += slice.length
    }
  }
  return joined
}
