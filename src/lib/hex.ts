const HEX = /^(?:[0-9a-f]{2})*$/

/** Encodes lower-case hex. */
export function encodeHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += (256 + byte).toString(16).slice(1)
  return text
}

/** Decodes lower-case hex. Undefined for any other text. */
export function decodeHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!HEX.test(text)) return undefined
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(index * 2, index * 2 + 2), 16),
  )
}
