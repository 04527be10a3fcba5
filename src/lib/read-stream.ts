/**
 * The bytes of a web stream, or the first `limit` + 1 of them: it stops reading there, so that a caller can tell "too
 * long" without holding more. Rejects when the stream fails.
 */
export async function readAtMost(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  limit: number,
): Promise<Uint8Array> {
  if (reader === undefined) return new Uint8Array(0)
  const chunks: Uint8Array[] = []
  let length = 0
  while (length <= limit) {
    const { done, value } = await reader.read()
    if (done) return joinChunks(chunks, length)
    chunks.push(value)
    length += value.byteLength
  }
  void reader.cancel().catch(() => {})
  return joinChunks(chunks, length).subarray(0, limit + 1)
}

/** One chunk, as nearly all bodies are, is not copied. */
export function joinChunks(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks
  if (chunks.length === 1 && first) return first
  const joined = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    joined.set(chunk, offset)
    offset += chunk.byteLength
  }
  return joined
}
