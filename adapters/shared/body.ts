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

/** Whether a Content-Length announces more than `limit` bytes: then none of them has to be read. */
export function announcesOver(limit: number, contentLength: string | readonly string[] | undefined): boolean {
  return typeof contentLength === 'string' && Number(contentLength) > limit && /^[0-9]+$/.test(contentLength)
}

/** Stands in for a body that was announced as too long and therefore not read. Only its length is ever looked at. */
let standIn = new Uint8Array(0)

export function oversizeBody(limit: number): Uint8Array {
  if (standIn.byteLength <= limit) standIn = new Uint8Array(limit + 1)
  return standIn.subarray(0, limit + 1)
}
