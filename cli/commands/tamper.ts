const MOST_TRIES = 64
const SPACE = 0x20

/** Changes one byte and keeps the body valid JSON, so that only the signature tells. */
export function tamper(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const changed = new Uint8Array(body)
  let tries = 0
  for (let index = changed.length - 1; index >= 0 && tries < MOST_TRIES; index -= 1) {
    const byte = changed[index] ?? 0
    if (!/[0-9A-Za-z]/.test(String.fromCharCode(byte))) continue
    tries += 1
    changed[index] = byte ^ 1
    if (isJson(changed)) return changed
    changed[index] = byte
  }
  // In `{}`, no such byte exists. JSON allows white space at the end.
  return Uint8Array.of(...body, SPACE)
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes).toString('utf8'))
    return true
  } catch {
    return false
  }
}
