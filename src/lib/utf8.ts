/** `ignoreBOM: true` keeps the byte order mark in the text, so that the JSON parser refuses it. */
const DECODER = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8, and keeps a byte order mark. Undefined if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return DECODER.decode(bytes)
  } catch {
    return undefined
  }
}
