/** Concatenates three parts. Each character of `before` and `after` is one byte. */
export function bytesOf(before: string, body: Uint8Array, after: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(before.length + body.length + after.length)
  setText(bytes, before, 0)
  bytes.set(body, before.length)
  setText(bytes, after, before.length + body.length)
  return bytes
}

function setText(bytes: Uint8Array, text: string, start: number): void {
  for (let index = 0; index < text.length; index += 1) bytes[start + index] = text.charCodeAt(index)
}
