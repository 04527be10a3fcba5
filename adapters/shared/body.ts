/** The sender stopped before its body was complete, or took too long over it. */
export class BodyIncompleteError extends Error {
  override readonly name = 'BodyIncompleteError'
}

export function connectionEnded(): BodyIncompleteError {
  return new BodyIncompleteError('the connection ended before the body was complete')
}

export function bodyLate(timeoutMs: number): BodyIncompleteError {
  return new BodyIncompleteError(`the body was not complete after ${timeoutMs} ms`)
}

/** The bytes that a Content-Length announces. Undefined unless it is a whole number, written once. */
export function announcedBytes(contentLength: string | readonly string[] | undefined): number | undefined {
  return typeof contentLength === 'string' && /^[0-9]+$/.test(contentLength)
    ? Number(contentLength)
    : undefined
}

/** Stands in for a body that was announced as too long and therefore not read. Only its length is ever looked at. */
let standIn = new Uint8Array(0)

export function oversizeBody(limit: number): Uint8Array {
  if (standIn.byteLength <= limit) standIn = new Uint8Array(limit + 1)
  return standIn.subarray(0, limit + 1)
}
