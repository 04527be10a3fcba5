import { callHook } from './hooks.ts'
import type { MaybePromise } from './maybe-promise.ts'

/**
 * Reads a web stream of at most `limit` bytes, and joins them by `join`. Undefined if it has more. Rejects if the stream fails.
 * Calls `count` with the bytes of each chunk within the limit.
 */
export async function readAtMost(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  limit: number,
  count: (bytes: number) => void = () => {},
  join: (chunks: readonly Uint8Array[], length: number) => MaybePromise<Uint8Array> = joinChunks,
): Promise<Uint8Array | undefined> {
  let chunks: Uint8Array[] = []
  let length = 0
  while (reader && length <= limit) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    chunks = withChunk(chunks, value)
    if (length <= limit) count(value.length)
  }
  callHook(() => reader?.cancel())
  return length > limit ? undefined : join(chunks, length)
}

/** Each chunk costs as much memory as 200 bytes of body. */
const MOST_CHUNKS = 100
/** In bytes. Larger ones cost little beside their bytes, and much to copy. */
const LARGE_CHUNK = 65_536

/**
 * Appends a chunk. Joins small chunks when there are many, because a sender may send single bytes: all from the first that is no longer
 * than those after it together. What is copied thus doubles in length each time, so that a byte is copied 10 times, and not
 * once for each hundred that follow.
 */
export function withChunk(chunks: Uint8Array[], chunk: Uint8Array): Uint8Array[] {
  if (chunks.length === 0) return [chunk] // push() would allocate room for 17
  if (chunks.push(chunk) <= MOST_CHUNKS) return chunks
  let first = chunks.length
  let joined = 0
  let length = 0
  let index = chunks.length
  for (let each = 0; index > 0; length += each, index -= 1) {
    each = chunks[index - 1]?.length ?? 0
    if (each >= LARGE_CHUNK) break
    if (each > length) continue
    first = index - 1
    joined = length + each
  }
  if (chunks.length - index > MOST_CHUNKS) chunks.push(joinChunks(chunks.splice(first), joined))
  return chunks
}

/** Does not copy a single chunk, which is the usual case. */
export function joinChunks(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks
  if (chunks.length === 1 && first) return first
  const joined = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    joined.set(chunk, offset)
    offset += chunk.length
  }
  return joined
}
