import type { NodeStream } from './arrival.ts'

const MOST_BYTES = 8 * 1024 * 1024
/** What a chunk costs, in bytes: a sender may cut them small. */
const CHUNK_BYTES = 256
const MOST_MS = 1000

/**
 * Reads and drops what is left of a body that will be refused, as much as comes within these bounds. A socket that is closed
 * over unread bytes is reset, and a sender that writes first and reads then never sees its answer (RFC 9112 9.6).
 */
export function dropSurplus(stream: NodeStream, timeoutMs: number, done: () => void): void {
  let left = MOST_BYTES
  const onData = (chunk: Uint8Array) => {
    left -= CHUNK_BYTES + chunk.byteLength
    if (left < 0) finish()
  }
  const finish = () => {
    clearTimeout(timer)
    stream.off('data', onData).pause()
    done()
  }
  const timer = setTimeout(finish, Math.min(MOST_MS, timeoutMs))
  stream.on('data', onData).on('end', finish).on('close', finish).on('error', finish).resume()
}
