/**
 * The bytes of a web stream, or the first `limit` + 1 of them: it stops reading there, so that a caller can tell "too
 * long" without holding more. Rejects when the stream fails.
 */
export async function readAtMost(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  limit: number,
): Promise<Uint8Array> {
  let chunks: Uint8Array[] = []
  let length = 0
  while (reader && length <= limit) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    chunks = withChunk(chunks, value, length)
  }
  void reader?.cancel().catch(() => {})
  return joinChunks(chunks, length).subarray(0, limit + 1)
}

/** Each chunk costs as much memory as 200 bytes of body. */
const MOST_CHUNKS = 100

/** The chunks with one more, or one of them all when there are many: a sender may cut a body into single bytes. */
export function withChunk(chunks: Uint8Array[], chunk: Uint8Array, length: number): Uint8Array[] {
  if (chunks.length === 0) return [chunk] // push() makes room for 17
  return chunks.push(chunk) > MOST_CHUNKS ? [joinChunks(chunks, length)] : chunks
}

/** One chunk, as nearly all bodies are, is not copied. */
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
