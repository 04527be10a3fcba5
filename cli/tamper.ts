const MOST_TRIES = 64
const SPACE = 0x20

/** The body with one byte changed, and still JSON: what only a signature notices. */
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
  // `{}`, `true` and the like have no such byte. White space at the end is allowed.
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
