import type { BodyInFlight } from './bodies-in-flight.ts'

/** The connection ended before the body was complete, or the body took too long. */
export class BodyIncompleteError extends Error {
  override readonly name = 'BodyIncompleteError'
}

export function connectionEnded(): BodyIncompleteError {
  return new BodyIncompleteError('the connection ended before the body was complete')
}

export function bodyLate(timeoutMs: number): BodyIncompleteError {
  return new BodyIncompleteError(`the body was not complete after ${timeoutMs} ms`)
}

/** Counts bytes that were read by something else. @throws OverloadError if there is no room for them. */
export function counted(bytes: Uint8Array, inFlight: BodyInFlight): Uint8Array {
  const problem = inFlight.add(bytes.byteLength)
  if (problem) throw problem
  return bytes
}

/** Parses Content-Length. Undefined if it is absent, repeated or not a whole number. */
export function announcedBytes(contentLength: string | readonly string[] | undefined): number | undefined {
  return typeof contentLength === 'string' && /^[0-9]+$/.test(contentLength)
    ? Number(contentLength)
    : undefined
}

/** Placeholder for a body that was announced as too long, and so never read. Only its length is used. */
let standIn = new Uint8Array(0)

export function oversizeBody(limit: number): Uint8Array {
  if (standIn.byteLength <= limit) standIn = new Uint8Array(limit + 1)
  return standIn.subarray(0, limit + 1)
}
